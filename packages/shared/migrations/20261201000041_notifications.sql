-- What a person is told of off the page, and where. No row holds a text of a project: what is told is read from the inbox
-- in the moment it is sent.

-- How one person wants to be told; made with the first channel.
create table notification_settings (
  human_id text primary key references agents (id),
  locale text not null constraint notification_settings_locale_check check (locale in ('ja', 'en')),
  time_zone text not null,
  -- Minutes of the day in the person's time zone; both null: no quiet hours. The end may be on the next day.
  quiet_from smallint constraint notification_settings_quiet_from_check check (quiet_from between 0 and 1439),
  quiet_to smallint constraint notification_settings_quiet_to_check check (quiet_to between 0 and 1439),
  -- The days on which they begin; 0 is Sunday.
  quiet_days smallint[] not null,
  -- Titles of projects, names of agents and texts stay out of what is sent.
  hides_text boolean not null,
  -- By category: whether it is sent, and whether also in quiet hours.
  rules jsonb not null,
  -- What is older is not told.
  since timestamptz(3) not null,
  constraint notification_settings_quiet_check check ((quiet_from is null) = (quiet_to is null))
);

create table notification_channels (
  id text primary key,
  human_id text not null references agents (id),
  kind text not null constraint notification_channels_kind_check check (kind in ('web_push', 'webhook', 'ntfy')),
  name text not null,
  address text not null,
  -- The keys of a push subscription, the sealed token of an ntfy server.
  access jsonb not null,
  -- Of a browser: the sign-in that made it. It is told nothing once that is over.
  token_hash text,
  categories text[] not null,
  is_on boolean not null,
  created_at timestamptz(3) not null,
  last_sent_at timestamptz(3),
  -- Why the last one did not arrive, and how many in a row did not.
  failure text,
  failed_at timestamptz(3),
  failures int not null default 0
);
-- The channels of a person.
create index notification_channels_human_idx on notification_channels (human_id, created_at, id);
-- A browser belongs to who signed in last.
create unique index notification_channels_push_key on notification_channels (address) where kind = 'web_push';

-- One thing that waits for one person, from its first sight in the inbox until it is gone from there.
create table notifications (
  human_id text not null references agents (id),
  -- What it is: a card, the failures of an agent in a project, …
  key text not null,
  category text not null,
  project_id text not null,
  agent_id text,
  state text not null constraint notifications_state_check check (state in ('waiting', 'told', 'passed', 'over')),
  due_at timestamptz(3),
  told_at timestamptz(3),
  over_at timestamptz(3),
  constraint notifications_due_check check ((due_at is not null) = (state = 'waiting')),
  constraint notifications_over_check check ((over_at is not null) = (state = 'over')),
  primary key (human_id, key)
);
-- What has to be told next.
create index notifications_due_idx on notifications (due_at) where state = 'waiting';
-- Compared with the inbox of its person.
create index notifications_open_idx on notifications (human_id) where state <> 'over';
-- Retention.
create index notifications_over_idx on notifications (over_at) where state = 'over';

-- One message to one channel. The row is made in the transaction that tells, and is sent after it.
create table notification_dispatches (
  id text primary key,
  channel_id text not null references notification_channels (id) on delete cascade,
  keys text[] not null,
  state text not null
    constraint notification_dispatches_state_check check (state in ('pending', 'sent', 'failed', 'dropped')),
  attempts int not null default 0,
  -- While it is being sent: when another process takes it over.
  next_at timestamptz(3),
  created_at timestamptz(3) not null,
  done_at timestamptz(3),
  constraint notification_dispatches_next_check check ((next_at is not null) = (state = 'pending'))
);
create index notification_dispatches_due_idx on notification_dispatches (next_at) where state = 'pending';
create index notification_dispatches_channel_idx on notification_dispatches (channel_id);
-- Retention.
create index notification_dispatches_done_idx on notification_dispatches (done_at) where state <> 'pending';

-- Where a person looks at the moment, by tab.
create table person_attention (
  human_id text not null references agents (id),
  viewer_id text not null,
  -- null: the inbox, which shows all projects.
  project_id text,
  agent_id text,
  until timestamptz(3) not null,
  primary key (human_id, viewer_id)
);
-- Retention.
create index person_attention_until_idx on person_attention (until);
