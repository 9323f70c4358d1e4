import proxyAddr from '@fastify/proxy-addr';

/** Whether an address is one of the proxies that AIZUCHI_TRUST_PROXY names. */
export function trustedProxy(trustProxy: boolean | string[]): (address: string) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  const isTrusted = proxyAddr.compile(trustProxy);
  return (address) => isTrusted(address, 0);
}
