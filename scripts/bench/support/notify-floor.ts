import pg from 'pg';

/** The lower bound: one row inserted and a NOTIFY round trip, on two connections of their own. */
export async function openNotifyFloor(url: string) {
  const writer = new pg.Client({ connectionString: url });
  const listener = new pg.Client({ connectionString: url });
  await Promise.all([writer.connect(), listener.connect()]);
  await writer.query(
    'create table if not exists bench_notify (id bigint generated always as identity primary key, content text)',
  );
  await listener.query('listen bench_floor');
  return {
    async roundTrip(): Promise<number> {
      const heard = new Promise<number>((resolve) =>
        listener.once('notification', () => resolve(performance.now())),
      );
      const startedAt = performance.now();
      await writer.query({
        name: 'floor',
        text: 'insert into bench_notify (content) values ($1)',
        values: ['タスクの進捗を教えてください'],
      });
      await writer.query({ name: 'tell', text: "select pg_notify('bench_floor', 'x')" });
      return (await heard) - startedAt;
    },
    close: () => Promise.all([writer.end(), listener.end()]),
  };
}
