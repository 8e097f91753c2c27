import { Box, Button, Group, Stack, Text, ThemeIcon, Title, UnstyledButton } from '@mantine/core';
import { IconArrowLeft, IconBuildingStore, IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProfileSummary } from '../../src-main/contract/channels.ts';
import { guideSteps } from '../../src-main/contract/guide.ts';
import { call } from '../bridge/client.ts';
import { useAction } from '../bridge/hooks.ts';
import { useConfirm } from '../ui/Confirm.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Mark } from '../ui/Mark.tsx';
import './welcome.css';

interface Props {
  /** profiles whose guide was left half-way */
  unfinished: ProfileSummary[];
  /** opens the guide: for a new shop, or to go on with one */
  onGuide: (profile: string | null) => void;
  onOpened: (profile: { id: string }) => Promise<void>;
  /** a profile is gone */
  onChanged: () => Promise<void>;
  /** way back to a shop that is there already, or null */
  onBack: (() => void) | null;
}

/** The first thing a new person sees: two ways in. */
export default function Welcome({ unfinished, onGuide, onOpened, onChanged, onBack }: Props) {
  const { t } = useTranslation();
  const demo = useAction(async () => onOpened(await call('demo:open')));
  const { ask, dialog } = useConfirm();
  const askForget = ({ id, name }: ProfileSummary) =>
    ask({
      title: t('connection.removeTitle', { name: name || t('guide.noName') }),
      body: t('guide.forgetText'),
      confirm: t('guide.forget'),
      danger: true,
      act: async () => {
        await call('profiles:remove', id);
        await onChanged();
      },
    });

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
        {unfinished.length > 0 && (
          <ul className="pr-unfinished" aria-label={t('guide.unfinishedList')}>
            {unfinished.map((one) => (
              <li key={one.id} className="pr-sheet">
                <div>
                  <Text fw={650}>{t('guide.unfinishedShop', { name: one.name || t('guide.noName') })}</Text>
                  {one.guide && (
                    <Text size="sm" c="dimmed">
                      {t('guide.unfinishedAt', {
                        n: guideSteps.indexOf(one.guide) + 1,
                        of: guideSteps.length,
                        step: t(`guide.title.${one.guide}`),
                      })}
                    </Text>
                  )}
                </div>
                <Group gap="xs">
                  <Button
                    variant="subtle"
                    color="gray"
                    aria-label={t('guide.forgetName', { name: one.name || t('guide.noName') })}
                    onClick={() => askForget(one)}
                  >
                    {t('guide.forget')}
                  </Button>
                  <Button
                    aria-label={t('guide.goOnName', { name: one.name || t('guide.noName') })}
                    onClick={() => onGuide(one.id)}
                  >
                    {t('guide.goOn')}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        )}
        <div className="pr-ways">
          <Way
            icon={<IconBuildingStore size={26} stroke={1.6} />}
            title={t('welcome.connect')}
            onClick={() => onGuide(null)}
          >
            {t('welcome.connectText')}
          </Way>
          <Way
            icon={<IconPlayerPlay size={26} stroke={1.6} />}
            title={t('welcome.demo')}
            busy={demo.busy}
            onClick={() => void demo.run()}
          >
            {demo.busy ? t('welcome.demoOpening') : t('welcome.demoText')}
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
      {dialog}
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
