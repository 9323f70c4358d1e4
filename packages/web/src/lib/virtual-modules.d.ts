declare module 'virtual:route-table' {
  import type { RouteName, Routes } from '@aizuchi/shared/contract/routes';
  export const ROUTE_TABLE: { readonly [N in RouteName]: Pick<Routes[N], 'method' | 'path'> };
}
