/** The page about the service: version, settings and identity providers. */

import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../layout/failure.tsx';
import { Facts } from '../parts/facts.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';

interface Setting {
  readonly name: string;
  /** For a secret, true if there is one. */
  readonly value: string | number | boolean | null;
  readonly secret: boolean;
}

interface About {
  readonly version: string;
  readonly application: {
    readonly name: string;
    readonly version: string | null;
    readonly environment: string | null;
  };
  readonly node: string;
  readonly database: string;
  readonly started_at: string;
  readonly settings: readonly Setting[];
  /** Identity providers; `error` is null if the provider responds. */
  readonly providers: readonly {
    readonly name: string;
    readonly issuer: string;
    readonly error: string | null;
  }[];
}

const valueText = (text: Text, { value, secret }: Setting): string => {
  if (secret) return text(value === true ? 'about.set' : 'about.unset');
  if (value === null) return '—';
  return typeof value === 'boolean' ? text(value ? 'common.yes' : 'common.no') : String(value);
};

const nameAndVersion = ({ name, version }: About['application']): string =>
  version === null ? name : `${name} ${version}`;

/** Version and settings of the service, without secrets. */
export const AboutService = () => {
  const text = useText();
  const query = useQuery({
    queryKey: ['service'],
    queryFn: async () => (await send<About>('GET', '/admin/service')).data,
  });
  return (
    <Page title={text('titles.about')} lead={text('about.lead')}>
      <Loaded query={query}>
        {({ version, application, node, database, started_at, settings, providers }) => (
          <Stack sx={{ gap: 3 }}>
            <Facts
              facts={[
                [text('about.application'), nameAndVersion(application)],
                ...(application.environment === null
                  ? []
                  : [[text('about.environment'), application.environment] as const]),
                ['Gatewright', version],
                ['Node', node],
                [text('about.database'), database === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
                [text('about.started'), <RelativeTime key="started" value={started_at} />],
              ]}
            />
            {providers.length === 0 ? null : (
              <Section title={text('about.providers')}>
                <Facts
                  facts={providers.map(({ name, issuer, error }) => [
                    name,
                    <span key={name}>
                      {issuer} · {error ?? text('about.responds')}
                    </span>,
                  ])}
                />
              </Section>
            )}
            <Section title={text('about.settings')}>
              <Facts
                facts={settings.map((setting) => [
                  setting.name,
                  <Box key={setting.name} component="code">
                    {valueText(text, setting)}
                  </Box>,
                ])}
              />
            </Section>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
};
