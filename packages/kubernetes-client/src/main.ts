/**
 * What the executor `kubernetes` uses of the official client. A package of its own, because the client is 60 MB on disk:
 * only who needs it installs it (scripts/bootstrap/sets.mjs), and the build makes one file of it.
 */
export {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  createConfiguration,
  HttpMethod,
  KubeConfig,
  RequestContext,
  type ResponseContext,
  ServerConfiguration,
  type V1Job,
  type V1PodSpec,
  type V1Secret,
  type V1Volume,
  type V1VolumeMount,
  Watch,
} from '@kubernetes/client-node';
/** The one that the client brings: it takes the client's connections, which Node's own may not. */
export { type Dispatcher, fetch } from 'undici';
