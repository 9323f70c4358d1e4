/**
 * The floor of `throughput`: one plain INSERT behind the same web framework, the same validation of the body and the
 * same connection pool, without authentication, rights, ordering or transcript.
 */
import { MAX_PERSON_MESSAGE_LENGTH } from '@aizuchi/shared/contract/chat';
import { textSchema } from '@aizuchi/shared/contract/ids';
import { newId } from '@aizuchi/shared/platform/ids';
import { fastify } from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import pg from 'pg';
import { z } from 'zod';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL ?? '10'),
});
await pool.query(`create table if not exists bench_floor
  (id text primary key, thread text not null, content text not null, created_at timestamptz default now())`);
const app = fastify().withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.post(
  '/api/projects/:pid/agents/:aid/chat/messages',
  {
    schema: {
      params: z.object({ pid: z.string(), aid: z.string() }),
      body: z.strictObject({
        content: textSchema(1, MAX_PERSON_MESSAGE_LENGTH),
        clientMessageId: z.string().optional(),
      }),
    },
  },
  async (request, reply) => {
    const id = newId('msg');
    const { pid, aid } = request.params;
    await pool.query({
      name: 'floor',
      text: 'insert into bench_floor (id, thread, content) values ($1, $2, $3)',
      values: [id, `${pid}/${aid}`, request.body.content],
    });
    return reply.code(201).send({ id });
  },
);
process.send?.({ url: await app.listen({ port: 0, host: '127.0.0.1' }) });
process.once('disconnect', () => process.exit(0));
