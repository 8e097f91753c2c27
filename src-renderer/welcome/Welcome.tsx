import { Alert, Box, Button, Group, Stack, Text, ThemeIcon, Title, UnstyledButton } from '@mantine/core';
import { IconArrowLeft, IconBuildingStore, IconFileImport, IconPlayerPlay } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo, ImportedProfile } from '../../src-main/contract/channels.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Mark } from '../ui/Mark.tsx';
import './welcome.css';
import { told } from '../i18n.ts';

const ConnectionForm = lazy(() => import('../settings/connection/ConnectionForm.tsx'));

interface Props {
  info: AppInfo;
  onOpened: (profile: { id: string }) => Promise<void>;
  /** way back to a shop that is there already, or null */
  onBack: (() => void) | null;
}

/** The first thing a new person sees: two ways in. */
export default function Welcome({ info, onOpened, onBack }: Props) {
  const { t } = useTranslation();
  const [connecting, setConnecting] = useState(false);
  const [imported, setImported] = useState<ImportedProfile | null>(null);
  const open = useAction(async () => {
    const found = await call('profiles:import');
    if (found) setImported(found);
  });
  const demo = useAction(async () => onOpened(await call('demo:open')));

  if (connecting) {
    return (
      <Box component="main" className="pr-welcome pr-scroll">
        <Stack w="100%" maw={760} gap="md" py={32}>
          <Group justify="space-between">
            <Button
              variant="subtle"
              color="gray"
              ml={-14}
              leftSection={<IconArrowLeft size={16} aria-hidden />}
              onClick={() => setConnecting(false)}
            >
              {t('common.back')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconFileImport size={16} aria-hidden />}
              onClick={() => void open.run()}
            >
              {t('connection.import')}
            </Button>
          </Group>
          <Title order={1} size="h2">
            {t('connection.title')}
          </Title>
          <Text c="dimmed" size="sm">
            {t('connection.intro')}
          </Text>
          {!info.vault.ok && <Alert color="yellow">{told(info.vault.reason)}</Alert>}
          {open.error && <ErrorNote error={open.error} />}
          {imported && <Alert>{t('connection.imported', { file: imported.file })}</Alert>}
          <Suspense fallback={null}>
            <ConnectionForm
              key={imported?.file}
              view={null}
              imported={imported?.form}
              onSaved={(view) => onOpened(view)}
            />
          </Suspense>
        </Stack>
      </Box>
    );
  }

  return (
    <Box component="main" className="pr-welcome">
      <Stack align="center" gap="xl" maw={720} w="100%">
        <Stack align="center" gap={10} ta="center">
          <Mark size={60} />
          <Title order={1} size={30} lts={-0.4}>
            {t('welcome.title')}
          </Title>
          <Text c="dimmed" maw={480}>
            {t('welcome.intro')}
          </Text>
        </Stack>
        <div className="pr-ways">
          <Way
            icon={<IconPlayerPlay size={26} stroke={1.6} />}
            title={t('welcome.demo')}
            busy={demo.busy}
            onClick={() => void demo.run()}
          >
            {demo.busy ? t('welcome.demoOpening') : t('welcome.demoText')}
          </Way>
          <Way
            icon={<IconBuildingStore size={26} stroke={1.6} />}
            title={t('welcome.connect')}
            onClick={() => setConnecting(true)}
          >
            {t('welcome.connectText')}
          </Way>
        </div>
        {demo.error && <ErrorNote error={demo.error} w="100%" />}
        {onBack && (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={onBack}
          >
            {t('common.back')}
          </Button>
        )}
      </Stack>
    </Box>
  );
}

interface WayProps {
  icon: ReactNode;
  title: string;
  children: ReactNode;
  busy?: boolean;
  onClick: () => void;
}

function Way({ icon, title, children, busy = false, onClick }: WayProps) {
  return (
    <UnstyledButton className="pr-sheet pr-way" onClick={onClick} disabled={busy} aria-busy={busy}>
      <ThemeIcon size={48} radius="md" variant="light" aria-hidden>
        {icon}
      </ThemeIcon>
      <Text fw={650} size="md" mt="md">
        {title}
      </Text>
      <Text size="sm" c="dimmed" mt={4}>
        {children}
      </Text>
    </UnstyledButton>
  );
}
