import { Badge, Group, Text } from '@mantine/core';
import { IconBuildingStore } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FoundSite } from '../../../src-main/contract/look.ts';
import { call } from '../../bridge/client.ts';
import { told } from '../../i18n.ts';
import { Choice } from './Choice.tsx';
import type { FieldsProps } from './ConnectionForm.tsx';
import { draftOfSite } from './choose.ts';
import { Findings, StartLook } from './LookAround.tsx';
import { useLook } from './use-look.ts';

interface Props extends Pick<FieldsProps, 'draft' | 'change' | 'secret' | 'wire'> {
  /** looks without being told to */
  atOnce?: boolean;
  /** what is said once one was chosen */
  taken?: string | undefined;
  onChosen?: (() => void) | undefined;
}

/** The WordPress sites on the server; one that is chosen fills in database, folder and names. */
export function FindSites({ draft, change, secret, wire, atOnce = false, taken, onChosen }: Props) {
  const { t } = useTranslation();
  const look = useLook((id, form) => call('look:sites', id, form), wire);
  const [chosen, setChosen] = useState<string | null>(null);
  const choose = (site: FoundSite) => {
    change(draftOfSite(draft, site));
    secret('database.password').onChange(site.database.hasPassword ? { found: site.key } : undefined);
    setChosen(site.key);
    onChosen?.();
  };
  const first = useEffectEvent(() => void look.start(draft));
  useEffect(() => {
    if (atOnce) first();
  }, [atOnce]);
  return (
    <>
      <StartLook
        look={look}
        icon={<IconBuildingStore size={17} aria-hidden />}
        label={t('look.sites')}
        onStart={() => void look.start(draft)}
      />
      <Findings look={look} draft={draft} change={change}>
        {look.result?.length === 0 && <Text size="sm">{t('look.noSites')}</Text>}
        {look.result && look.result.length > 0 && (
          <>
            <Text size="sm">{t('look.sitesFound', { count: look.result.length })}</Text>
            <ul className="pr-choices" aria-label={t('look.sitesList')}>
              {look.result.map((site) => (
                <Choice
                  key={site.key}
                  name={site.title ?? site.folder}
                  chosen={site.key === chosen}
                  onChoose={() => choose(site)}
                >
                  <Site site={site} />
                </Choice>
              ))}
            </ul>
            {chosen !== null && (
              <Text size="sm" role="status">
                {taken ?? t('look.siteTaken')}
              </Text>
            )}
          </>
        )}
      </Findings>
    </>
  );
}

function Site({ site }: { site: FoundSite }) {
  const { t } = useTranslation();
  const { database } = site;
  const mark = (there: boolean | null, yes: string, no: string) =>
    there !== null && (
      <Badge variant="light" color={there ? 'teal' : 'gray'} tt="none">
        {there ? yes : no}
      </Badge>
    );
  return (
    <>
      <Text size="sm" fw={600}>
        {site.title ?? site.folder}
      </Text>
      {site.url && <Text size="sm">{site.url}</Text>}
      <Text size="sm" c="dimmed">
        {t('look.siteFolder', { folder: site.folder })}
      </Text>
      <Text size="sm" c="dimmed">
        {t('look.siteDatabase', {
          database: database.database,
          user: database.user,
          prefix: database.tablePrefix,
        })}
      </Text>
      {(site.tables !== null || site.connector !== null) && (
        <Group gap={6} mt={6}>
          {mark(site.tables, t('look.tablesThere'), t('look.tablesNotThere'))}
          {mark(site.connector, t('look.connectorThere'), t('look.connectorNotThere'))}
        </Group>
      )}
      {site.problem && (
        <Text size="sm" mt={6}>
          {told(site.problem)}
        </Text>
      )}
      {site.notes.map((note) => (
        <Text size="sm" mt={2} key={note}>
          {told(note)}
        </Text>
      ))}
      {!database.hasPassword && (
        <Text size="sm" mt={2}>
          {t('look.noPassword')}
        </Text>
      )}
    </>
  );
}
