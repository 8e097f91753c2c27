import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { ProfileSummary } from '../../src-main/contract/channels.ts';
import type { ShopStatus } from '../../src-main/contract/status.ts';
import { type CallError, call } from './client.ts';
import { useFetched } from './hooks.ts';

/** The shop on screen. */
export interface Shop {
  profile: ProfileSummary;
  /** last status; null before the first one */
  status: ShopStatus | null;
  /** why the last question for it failed; the status is then an old one */
  error: CallError | null;
  /** the database's clock now, s since 1970; null before the first status */
  clock: () => number | null;
  /** asks for the status now, to show at once what an action did */
  refresh: () => Promise<void>;
}

const ShopContext = createContext<Shop | null>(null);

/** Asks for the status every second while the window can be seen. */
export function ShopProvider({ profile, children }: { profile: ProfileSummary; children: ReactNode }) {
  const fetched = useFetched(
    async () => ({ status: await call('shop:status', profile.id), at: performance.now() }),
    `${profile.id} ${profile.connection.phase}`,
    1000,
  );
  const { value, error, refresh } = fetched;
  const shop = useMemo<Shop>(
    () => ({
      profile,
      status: value?.status ?? null,
      error,
      clock: () => (value ? value.status.now + (performance.now() - value.at) / 1000 : null),
      refresh,
    }),
    [profile, value, error, refresh],
  );
  return <ShopContext value={shop}>{children}</ShopContext>;
}

/** The shop on screen; only inside ShopProvider. */
export function useShop(): Shop {
  const shop = useContext(ShopContext);
  if (!shop) throw new Error('useShop needs a ShopProvider above it');
  return shop;
}
