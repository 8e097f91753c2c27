import { Center, Loader } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ProfileSummary, Signals } from '../src-main/contract/channels.ts';
import { call } from './bridge/client.ts';
import { useFetched, useSignal } from './bridge/hooks.ts';
import { ShopProvider } from './bridge/shop.tsx';
import { speak } from './i18n.ts';
import { Shell } from './shell/Shell.tsx';
import { ErrorNote } from './ui/ErrorNote.tsx';

const Guide = lazy(() => import('./welcome/guide/Guide.tsx'));
const Welcome = lazy(() => import('./welcome/Welcome.tsx'));

/** Decides what the window shows: the welcome while there is no shop, else the shop that was shown last. */
export function App() {
  const [chosen, setChosen] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  /** the guide that is on screen, and the unfinished profile that it began with */
  const [guide, setGuide] = useState<{ profile: string | null } | null>(null);
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
    setGuide(null);
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
    setGuide(null);
  };
  const ready = profiles.filter((one) => one.guide === null);
  const shown =
    ready.find((one) => one.id === chosen) ?? ready.find((one) => one.id === info.lastProfile) ?? ready[0];

  if (guide) {
    return (
      <Suspense fallback={null}>
        <Guide
          profile={guide.profile}
          profiles={profiles}
          info={info}
          onKept={refresh}
          onDone={open}
          onLeave={() => setGuide(null)}
        />
      </Suspense>
    );
  }

  if (!shown || adding) {
    return (
      <Suspense fallback={null}>
        <Welcome
          unfinished={profiles.filter((one) => one.guide !== null)}
          onGuide={(profile) => setGuide({ profile })}
          onOpened={open}
          onChanged={refresh}
          onBack={shown ? () => setAdding(false) : null}
        />
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
          const one = profiles.find((profile) => profile.id === id);
          if (one?.guide) return setGuide({ profile: id });
          setChosen(id);
          if (one?.connection.phase === 'closed') void call('shop:connect', id);
        }}
        onAdd={() => setAdding(true)}
        onChanged={refresh}
      />
    </ShopProvider>
  );
}
