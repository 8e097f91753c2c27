import { Center, Loader } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ProfileSummary, Signals } from '../src-main/contract/channels.ts';
import { call } from './bridge/client.ts';
import { useFetched, useSignal } from './bridge/hooks.ts';
import { ShopProvider } from './bridge/shop.tsx';
import { speak } from './i18n.ts';
import { Shell } from './shell/Shell.tsx';
import { ErrorNote } from './ui/ErrorNote.tsx';

const Welcome = lazy(() => import('./welcome/Welcome.tsx'));

/** Decides what the window shows: the welcome while there is no shop, else the shop that was shown last. */
export function App() {
  const [chosen, setChosen] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const { value, error, refresh } = useFetched(
    async () => ({ profiles: await call('profiles:list'), info: await call('app:info') }),
    'app',
  );
  const language = value?.info.language;
  useEffect(() => {
    if (language) void speak(language);
  }, [language]);
  useSignal('shop:connection', () => void refresh());
  const [place, setPlace] = useState<Signals['window:show'] | null>(null);
  useSignal('window:show', (wanted) => {
    setChosen(wanted.profile);
    setAdding(false);
    setPlace(wanted);
  });

  if (!value) {
    return (
      <Center h="100%" p="xl">
        {error ? <ErrorNote error={error} maw={520} /> : <Loader type="dots" />}
      </Center>
    );
  }
  const { profiles, info } = value;
  const open = async (profile: ProfileSummary | { id: string }) => {
    await refresh();
    setChosen(profile.id);
    setAdding(false);
  };
  const shown =
    profiles.find((one) => one.id === chosen) ??
    profiles.find((one) => one.id === info.lastProfile) ??
    profiles[0];

  if (!shown || adding) {
    return (
      <Suspense fallback={null}>
        <Welcome info={info} onOpened={open} onBack={shown ? () => setAdding(false) : null} />
      </Suspense>
    );
  }
  return (
    <ShopProvider profile={shown} key={shown.id}>
      <Shell
        info={info}
        place={place?.profile === shown.id ? place : null}
        profiles={profiles}
        onChoose={(id) => {
          setChosen(id);
          const phase = profiles.find((one) => one.id === id)?.connection.phase;
          if (phase === 'closed') void call('shop:connect', id);
        }}
        onAdd={() => setAdding(true)}
        onChanged={refresh}
      />
    </ShopProvider>
  );
}
