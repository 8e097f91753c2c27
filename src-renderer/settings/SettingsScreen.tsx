import { Tabs } from '@mantine/core';
import {
  IconAdjustments,
  IconDeviceLaptop,
  IconGauge,
  IconHistory,
  IconPlug,
  IconStethoscope,
  IconTags,
} from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo } from '../../src-main/contract/channels.ts';
import { useShop } from '../bridge/shop.tsx';
import { Nothing } from '../ui/Nothing.tsx';
import { useShape } from '../ui/state-words.ts';
import { Computer } from './Computer.tsx';
import './settings.css';
import { ShopSettings } from './ShopSettings.tsx';

const Connection = lazy(() => import('./connection/Connection.tsx'));
const Check = lazy(() => import('./Check.tsx'));

const sections = ['pace', 'retries', 'types', 'keeping', 'connection', 'check', 'computer'] as const;
type Section = (typeof sections)[number];
const icons = {
  pace: IconGauge,
  retries: IconAdjustments,
  types: IconTags,
  keeping: IconHistory,
  connection: IconPlug,
  check: IconStethoscope,
  computer: IconDeviceLaptop,
} as const;

interface Props {
  info: AppInfo;
  onChanged: () => Promise<void>;
}

/** All that can be set, by what it is about. */
export default function SettingsScreen({ info, onChanged }: Props) {
  const { t } = useTranslation();
  const { profile, status } = useShop();
  const { mailTypes } = useShape();
  // without a connection, the connection is what one came for
  const [section, setSection] = useState<Section>(status ? 'pace' : 'connection');
  const ofShop = section === 'pace' || section === 'retries' || section === 'types' || section === 'keeping';
  return (
    <section className="pr-sheet pr-settings" aria-label={t('nav.settings')}>
      <Tabs
        orientation="vertical"
        variant="pills"
        value={section}
        onChange={(value) => setSection((value as Section | null) ?? 'pace')}
        classNames={{ root: 'pr-settings-tabs', list: 'pr-settings-list', panel: 'pr-settings-panel' }}
        keepMounted={false}
      >
        <Tabs.List aria-label={t('nav.settings')}>
          {/* mail types: only where rows have one */}
          {sections
            .filter((name) => mailTypes || name !== 'types')
            .map((name) => {
              const Icon = icons[name];
              return (
                <Tabs.Tab key={name} value={name} leftSection={<Icon size={17} stroke={1.7} aria-hidden />}>
                  {t(`settings.section.${name}`)}
                </Tabs.Tab>
              );
            })}
        </Tabs.List>
        <Tabs.Panel value={section}>
          <Suspense fallback={null}>
            {ofShop &&
              (status ? (
                <ShopSettings section={section} stored={status.settings} />
              ) : (
                <Nothing icon={IconPlug} title={t('settings.notConnected')}>
                  {t('settings.notConnectedText')}
                </Nothing>
              ))}
            {section === 'connection' && <Connection onChanged={onChanged} />}
            {section === 'check' && <Check key={profile.id} />}
            {section === 'computer' && <Computer info={info} onChanged={onChanged} />}
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}
