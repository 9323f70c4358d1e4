import { transcriptLineBytes } from '@aizuchi/shared/platform/transcript/transcript-line';
import pg from 'pg';

export const TALK_PROJECT = 'prj_talks';
/** The ids begin with this; the page shows the names. */
export const TALKERS = [
  { id: 'agt_analysis', name: 'Analysis Worker' },
  { id: 'agt_reviewer', name: 'Reviewer' },
  { id: 'agt_backend', name: 'Backend Worker' },
  { id: 'agt_docs', name: '資料担当' },
] as const;

interface PastTalk {
  readonly id: string;
  readonly between: readonly [string, string];
  readonly purpose: string | null;
  readonly state: string;
  readonly endReason: string | null;
  readonly endedBy?: string;
  readonly finalMessage?: string;
  readonly lines: readonly string[];
  readonly most?: number;
  readonly minutesAgo: number;
  readonly chain?: string;
}

/**
 * Past conversations, one for each way to end, so that a test of the page need not wait ten minutes for a time-out.
 */
const PAST: readonly PastTalk[] = [
  {
    id: 'conv_rounding',
    between: ['agt_analysis', 'agt_reviewer'],
    purpose: 'Agree on rounding before the merge',
    state: 'ended',
    endReason: 'initiator_ended',
    endedBy: 'agt_analysis',
    finalMessage: 'Cut-off on 1 November, both rules tested, merging.',
    minutesAgo: 40,
    chain: 'chain_rounding',
    lines: [
      'Invoices round per line, the monthly total rounds the sum. For 0.5 yen they differ by up to 3 yen a month. I would move both to half-even.',
      'Half-even is right for totals. But printed invoices already went out with half-up. A silent change breaks reconciliation for October.',
      'Then a cut-off: documents dated before 1 November keep half-up, everything later uses half-even. I keep the rule in `rounding.ts` with both cases tested.',
      'Good. Add one test that crosses the cut-off inside a single month.',
      'Added `crosses the cut-off`, it passes. Anything else before I merge?',
      'No. Approved from my side.',
    ],
  },
  {
    id: 'conv_wording',
    between: ['agt_analysis', 'agt_docs'],
    purpose: 'エラー本文の言い回しを決める',
    state: 'ended',
    endReason: 'max_messages',
    minutesAgo: 70,
    most: 2,
    lines: ['どちらの言い方にしますか？', '短いほうにします。'],
  },
  {
    id: 'conv_silence',
    between: ['agt_backend', 'agt_reviewer'],
    purpose: 'Names of the webhook tables',
    state: 'ended',
    endReason: 'timeout',
    minutesAgo: 90,
    lines: ['Plural?'],
  },
  {
    id: 'conv_expired',
    between: ['agt_reviewer', 'agt_docs'],
    purpose: 'Changelog for 1.4',
    state: 'expired',
    endReason: 'not_started',
    minutesAgo: 110,
    lines: ['Can you review the changelog?'],
  },
  {
    id: 'conv_chain',
    between: ['agt_analysis', 'agt_backend'],
    purpose: 'Fixture clean-up',
    state: 'ended',
    endReason: 'human_stopped',
    minutesAgo: 130,
    chain: 'chain_rounding',
    lines: ['Which fixtures are unused?', 'The ones of March.', 'Then I delete them.'],
  },
  {
    id: 'conv_live',
    between: ['agt_backend', 'agt_docs'],
    purpose: null,
    state: 'active',
    endReason: null,
    minutesAgo: 0,
    lines: ['台帳の分離レベルはどうしますか？', 'Serializable にします。'],
  },
];

/** Inserts them into the database of a running product whose project and agents exist. */
export async function insertPastTalks(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Each line gets its offset in the transcripts of both agents, as if the product had stored it.
    const bytes = new Map<string, number>();
    const place: Place = (agentId, line) => {
      const offset = bytes.get(agentId) ?? 0;
      bytes.set(agentId, offset + transcriptLineBytes(line));
      return offset;
    };
    for (const talk of PAST) await insertTalk(client, talk, place);
    for (const [agentId, length] of bytes)
      await client.query('update chat_threads set log_bytes = $2 where id = $1', [
        `${TALK_PROJECT}/${agentId}`,
        length,
      ]);
  } finally {
    await client.end();
  }
}

type Place = (agentId: string, line: Parameters<typeof transcriptLineBytes>[0]) => number;

async function insertTalk(client: pg.Client, talk: PastTalk, place: Place): Promise<void> {
  const chain = talk.chain ?? `chain_${talk.id}`;
  const [initiator, participant] = talk.between;
  const minute = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const isOver = talk.endReason !== null;
  await client.query(
    `insert into conversation_chains (id, project_id, message_count) values ($1, $2, $3)
     on conflict (id) do update set message_count = conversation_chains.message_count + excluded.message_count`,
    [chain, TALK_PROJECT, talk.lines.length],
  );
  await client.query(
    `insert into conversations (id, project_id, initiator_agent_id, participant_agent_id, state, purpose,
      message_count, max_messages, chain_id, created_at, last_activity_at, ended_at, ended_by, end_reason, final_message)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      talk.id,
      TALK_PROJECT,
      initiator,
      participant,
      talk.state,
      talk.purpose,
      talk.lines.length,
      talk.most ?? 20,
      chain,
      minute(talk.minutesAgo),
      minute(isOver ? talk.minutesAgo - 5 : 0),
      isOver ? minute(talk.minutesAgo - 5) : null,
      talk.endedBy ?? null,
      talk.endReason,
      talk.finalMessage ?? null,
    ],
  );
  await client.query(
    `insert into chat_threads (id, project_id, agent_id, conversation_id, last_seq) values ($1, $2, $3, $1, $4)`,
    [talk.id, TALK_PROJECT, initiator, talk.lines.length],
  );
  for (const [index, content] of talk.lines.entries()) {
    const [senderId, receiverId] = index % 2 === 0 ? talk.between : talk.between.toReversed();
    if (senderId === undefined || receiverId === undefined) throw new Error('two sides');
    const id = `msg_${talk.id}${String(index).padStart(20 - talk.id.length, '0')}`;
    const heard = {
      id,
      sender: 'agent' as const,
      senderId,
      content,
      visible: true,
      conversationId: talk.id,
    };
    await client.query(
      `insert into chat_messages (id, thread_id, seq, project_id, agent_id, sender, sender_id, receiver_id, content,
        created_at, conversation_id, state, log_offset, peer_agent_id, peer_log_offset)
       values ($1, $2, $3, $4, $5, 'agent', $5, $6, $7, $8, $2, $9, $10, $6, $11)`,
      [
        id,
        talk.id,
        index + 1,
        TALK_PROJECT,
        senderId,
        receiverId,
        content,
        minute(talk.minutesAgo - index * 0.5),
        talk.state === 'expired' ? 'failed' : 'answered',
        place(senderId, { ...heard, receiverId }),
        place(receiverId, heard),
      ],
    );
  }
}
