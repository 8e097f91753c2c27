import { Button, Center, Loader, VisuallyHidden } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo, ProfileSummary, Signals } from '../../src-main/contract/channels.ts';
import type { RowFilter, RowId } from '../../src-main/contract/rows.ts';
import { Banner } from '../banner/Banner.tsx';
import { useShop } from '../bridge/shop.tsx';
import { UndoToast } from '../queue/order/UndoToast.tsx';
import QueueScreen from '../queue/QueueScreen.tsx';
import { Nothing } from '../ui/Nothing.tsx';
import { type Screen, Sidebar } from './Sidebar.tsx';

// the queue comes with the first paint, everything else when it is asked for
const OverviewScreen = lazy(() => import('../overview/OverviewScreen.tsx'));
const LogScreen = lazy(() => import('../log/LogScreen.tsx'));
const InboxScreen = lazy(() => import('../inbox/InboxScreen.tsx'));
const SettingsScreen = lazy(() => import('../settings/SettingsScreen.tsx'));

interface Props {
  info: AppInfo;
  profiles: ProfileSummary[];
  /** where a notification or the tray leads; another object for each click */
  place: Signals['window:show'] | null;
  onChoose: (profile: string) => void;
  onAdd: () => void;
  /** profiles or app settings changed */
  onChanged: () => Promise<void>;
}

/** Sidebar, banner, and one screen. */
export function Shell({ info, profiles, place, onChoose, onAdd, onChanged }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const [screen, setScreen] = useState<Screen>('queue');
  const [filter, setFilter] = useState<RowFilter>({});
  const [row, setRow] = useState<RowId | null>(null);
  useEffect(() => {
    if (!place) return;
    setScreen(place.screen);
    if (place.filter) setFilter(place.filter);
    if (place.row !== undefined) setRow(place.row);
  }, [place]);
  const showRow = (id: RowId) => {
    setRow(id);
    setScreen('queue');
  };
  const showRows = (wanted: RowFilter) => {
    setFilter(wanted);
    setScreen('queue');
  };
  const phase = profile.connection.phase;
  const unreachable = !status && (phase === 'failed' || phase === 'closed') && screen !== 'settings';
  return (
    <div className="pr-shell">
      <Sidebar
        screen={screen}
        onScreen={setScreen}
        profile={profile}
        profiles={profiles}
        onChoose={onChoose}
        onAdd={onAdd}
        version={info.version}
      />
      <main className="pr-main">
        <VisuallyHidden component="h1">
          {t('nav.place', { shop: profile.name, screen: t(`nav.${screen}`) })}
        </VisuallyHidden>
        <Banner onDoubts={() => showRows({ state: 'failed', in_doubt: true })} />
        <div className="pr-screen">
          <Suspense
            fallback={
              <Center flex={1}>
                <Loader type="dots" />
              </Center>
            }
          >
            {unreachable && (
              <section className="pr-sheet" style={{ flex: 1 }}>
                <Nothing
                  icon={IconPlugConnectedX}
                  title={t('nav.noShop')}
                  action={
                    <Button mt="md" variant="default" onClick={() => setScreen('settings')}>
                      {t('nav.toConnection')}
                    </Button>
                  }
                >
                  {t('nav.noShopText')}
                </Nothing>
              </section>
            )}
            {screen === 'queue' && !unreachable && (
              <QueueScreen filter={filter} onFilter={setFilter} row={row} onRow={setRow} />
            )}
            {screen === 'overview' && !unreachable && <OverviewScreen onFilter={showRows} onRow={showRow} />}
            {screen === 'log' && !unreachable && <LogScreen onRow={showRow} />}
            {screen === 'inbox' && !unreachable && <InboxScreen />}
            {screen === 'settings' && <SettingsScreen info={info} onChanged={onChanged} />}
          </Suspense>
        </div>
      </main>
      <UndoToast />
    </div>
  );
}
