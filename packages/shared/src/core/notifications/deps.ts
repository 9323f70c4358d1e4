import type { OutboundRules } from '../../platform/http/outbound.ts';
import type { ServiceDeps } from '../deps.ts';
import type { QuestionService } from '../questions/question-service.ts';
import type { NotificationKeys } from './notification-keys.ts';

export interface NotificationDeps extends Pick<ServiceDeps, 'database' | 'clock' | 'config' | 'logger'> {
  readonly keys: NotificationKeys;
  readonly questions: Pick<QuestionService, 'byIds' | 'answer'>;
  readonly outbound: OutboundRules;
  readonly publicUrl: string | undefined;
}
