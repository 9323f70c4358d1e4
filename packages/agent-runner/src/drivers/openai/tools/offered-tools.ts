import type { ToolName } from '@aizuchi/shared/contract/tools/tool-texts';
import { TOOLS, type ToolInput } from '@aizuchi/shared/contract/tools/tools';
import { jsonSchema, type ToolSet, tool } from 'ai';
import { z } from 'zod';
import type { AgentView } from '../../../driver.ts';

type Input = Record<string, unknown>;

/** A tool of our server that a model may use. */
export interface OfferedTool {
  readonly name: ToolName;
  readonly description: string;
  readonly schema: z.core.JSONSchema.BaseSchema;
  readonly isReadOnly: boolean;
  /** Why the input cannot be used; undefined: it can. */
  check(input: Input): string | undefined;
  call(tools: AgentView['tools'], input: Input): Promise<unknown>;
}

/**
 * What the runner fills in or what has no use here. Of the four names of the other side one is enough: a model that sees
 * all of them fills in all of them.
 */
const HIDDEN = ['received', 'session_token', 'idempotency_key', 'participant_agent_id', 'target', 'to'];

/** The tools of a chat agent, in every turn. Its loop (sign-in, next action, answer) is the runner's. */
export const CHAT_TOOLS: readonly OfferedTool[] = [
  offer('list_tasks'),
  offer('get_task'),
  offer('create_task'),
  offer('update_task_status'),
  offer('propose_subtasks'),
  offer('list_project_agents'),
  offer('start_conversation'),
  offer('send_message'),
  offer('get_attachment'),
  offer('end_conversation'),
  offer('get_conversation_messages'),
  offer('recall'),
  offer('remember'),
];

/** Of a session that works on a task. */
export const TASK_TOOLS: readonly OfferedTool[] = [
  offer('get_my_task'),
  offer('save_context'),
  offer('report_completed'),
];

/** Only where a person reads. The turn shows the card, so `call` is not used. */
export const ASK_TOOL = offerQuestions();

export function toolSetOf(offered: readonly OfferedTool[]): ToolSet {
  return Object.fromEntries(
    offered.map(({ name, description, schema }) => [
      name,
      tool({ description, inputSchema: jsonSchema<Input>(schema) }),
    ]),
  );
}

function offer<N extends ToolName>(name: N, hidden: readonly string[] = []): OfferedTool {
  const { description, annotations, input } = TOOLS[name];
  const takesKey = 'idempotency_key' in input.shape;
  const schema = inputSchemaOf(name);
  return {
    name,
    description,
    schema: without([...HIDDEN, ...hidden], input),
    isReadOnly: annotations.readOnlyHint,
    check: (given) => {
      const { error } = schema.safeParse(given);
      return error && z.prettifyError(error);
    },
    // The key makes the call repeatable when its answer is lost.
    call: (tools, given) =>
      tools.call(name, schema.parse(takesKey ? { ...given, idempotency_key: crypto.randomUUID() } : given)),
  };
}

function offerQuestions(): OfferedTool {
  const asked = offer('ask_user_question', ['tool_use_id', 'hold_seconds']);
  return { ...asked, schema: { ...asked.schema, required: ['questions'] } };
}

// The table is keyed by name, which TypeScript cannot follow through an index with a type parameter.
function inputSchemaOf<N extends ToolName>(name: N): z.ZodType<ToolInput<N>> {
  return TOOLS[name].input as unknown as z.ZodType<ToolInput<N>>;
}

function without(hidden: readonly string[], input: z.ZodObject): z.core.JSONSchema.BaseSchema {
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(input, { io: 'input' });
  const shown = Object.entries(properties).filter(([name]) => !hidden.includes(name));
  return { ...rest, properties: Object.fromEntries(shown) };
}
