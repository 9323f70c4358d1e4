import { afterEach, describe, expect, test } from 'vitest';
import { CLIENT_KINDS, connectClient } from './testing/clients.ts';
import { FakeServices } from './testing/fake-services.ts';
import { startTestApp } from './testing/test-app.ts';

describe.each(CLIENT_KINDS)('%s', (kind) => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  test('speaks its own protocol generation, lists and calls', async () => {
    const services = new FakeServices();
    const app = await startTestApp(services);
    stops.push(app.stop);
    const client = await connectClient(kind, app.mcpUrl, 'ses_1');
    stops.push(client.close);
    console.log(kind, client.protocolVersion(), (await client.listTools()).length);
    const t0 = performance.now();
    console.log(await client.call('get_next_action'), performance.now() - t0);
    console.log(await client.call('list_tasks', { nope: 1 }));
    const t1 = performance.now();
    console.log(await client.call('list_tasks', {}), performance.now() - t1);
    const held = client.call('get_next_action', { hold_seconds: 20 });
    while (app.tools.heldCalls() === 0) await new Promise((r) => setImmediate(r));
    services.actions.set('ses_1', { kind: 'get_pending_messages' });
    const t2 = performance.now();
    app.tools.onKeys(['a:prj_1/agt_1']);
    console.log(await held, performance.now() - t2);
    expect(1).toBe(1);
  });
});
