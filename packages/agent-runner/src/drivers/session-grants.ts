import type { ApprovalKind } from '@aizuchi/shared/core/approvals/rules/approval-states';
import type { SessionOptions } from '../driver.ts';
import { within } from '../within.ts';

/** A hook that is silent longer is passed over by the program; a person is asked instead. */
const POLICY_LIMIT_MS = 10_000;

/**
 * What a person has allowed for the session: with an edit all edits, else the same request again. It is suspended while
 * the policy of the project is `deny`: that was chosen for what was allowed before, too.
 */
export class SessionGrants {
  readonly #session: Pick<SessionOptions, 'tools' | 'log'>;
  readonly #requests = new Set<string>();
  #coversEdits = false;

  constructor(session: Pick<SessionOptions, 'tools' | 'log'>) {
    this.#session = session;
  }

  /** `request`: JSON, equal for what is the same to a person. */
  add(kind: ApprovalKind, request: unknown): void {
    if (kind === 'edit') this.#coversEdits = true;
    else this.#requests.add(JSON.stringify(request));
  }

  async cover(kind: ApprovalKind, request: unknown): Promise<boolean> {
    const isCovered = kind === 'edit' ? this.#coversEdits : this.#requests.has(JSON.stringify(request));
    return isCovered && !(await this.areSuspended());
  }

  /** Also when the server does not say what the policy is: then it decides about the request itself. */
  async areSuspended(): Promise<boolean> {
    const { tools, log } = this.#session;
    let policy: string | undefined;
    const asked = tools.call('get_my_profile', {}).then(
      ({ project }) => {
        policy = project.permission_policy;
      },
      (error: unknown) => log(`the permission policy is not known: ${error}`),
    );
    await within(POLICY_LIMIT_MS, asked);
    return policy === undefined || policy === 'deny';
  }
}
