/** A tenth of the AI SDK is the client of its makers' service, for models that are named by a string. Ours never are. */
export const withoutGateway = {
  name: 'without-gateway',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@ai-sdk[\\/]gateway[\\/]dist[\\/]index\.js$/ }, () => ({
      contents: `export class GatewayError extends Error { static isInstance() { return false; } }
        export class GatewayAuthenticationError extends GatewayError {}
        export function createGateway() { throw new Error('a model is an object here, not a name'); }
        export const gateway = createGateway;`,
    }));
  },
};
