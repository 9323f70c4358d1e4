import type { Driver, DriverSession, SessionOptions } from '../../driver.ts';
import { AcpSession } from './session/acp-session.ts';
import { type AcpHost, LIMITS } from './session/agent-connection.ts';

type Timing = Pick<AcpHost, 'limits' | 'now'>;

/** Any agent that speaks the Agent Client Protocol on stdio: one warm session for each run. */
export class AcpDriver implements Driver {
  readonly #host: AcpHost;

  constructor(program: Omit<AcpHost, keyof Timing>, timing: Timing = { limits: LIMITS, now: Date.now }) {
    this.#host = { ...program, ...timing };
  }

  /** Never rejects: a program that cannot be started is tried again by each turn, which says what is wrong. */
  async open(options: SessionOptions): Promise<DriverSession> {
    const session = new AcpSession(this.#host, options);
    session.startEarly();
    return session;
  }
}
