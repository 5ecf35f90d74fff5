/** The actions in the palette. */

import { useLocaleState, useLogout, useRemoveFromStore, useStore } from 'ra-core';
import { basePath } from '../base.ts';
import { offers } from '../offered.ts';
import { askBefore } from '../parts/unsaved.ts';
import { useKnownModels } from '../records/use-metadata.ts';
import { languages, useText } from '../texts/provider.ts';
import type { PaletteOption } from './found-records.ts';

const documented = offers('documented');

const themes = ['light', 'dark', undefined] as const;

/** The actions of all menus: create, import, language, theme, sign out. */
export const usePaletteActions = (onHelp: () => void): readonly PaletteOption[] => {
  const text = useText();
  const logout = useLogout();
  const forget = useRemoveFromStore();
  const [locale, setLocale] = useLocaleState();
  const [theme, setTheme] = useStore<string | undefined>('theme');
  const { models } = useKnownModels();
  const group = text('palette.actions');
  const goTo = (to: string, label: string): PaletteOption => ({ to, label, group });
  const act = (name: string, label: string, run: () => void): PaletteOption => ({
    to: `action:${name}`,
    label,
    group,
    run,
  });
  const named = (name: string, items: string): string => text('common.list', { name, items });
  return [
    goTo('/api_keys/create', text('titles.newKey')),
    goTo('/users/create', text('titles.newUser')),
    ...models.flatMap(({ path, label, plural_label: labels }) => [
      goTo(`/records/${path}/create`, text('records.create', { label })),
      goTo(`/records/${path}/import`, text('titles.import', { labels })),
    ]),
    goTo('/sessions', text('titles.sessions')),
    goTo('/password', text('account.changePassword')),
    goTo('/second-factor', text('factor.title')),
    ...(offers('providers') ? [goTo('/identities', text('account.identities'))] : []),
    ...languages
      .filter((language) => language.locale !== locale)
      .map((language) =>
        act(language.locale, named(text('menu.language'), language.name), () =>
          askBefore(() => setLocale(language.locale)),
        ),
      ),
    ...themes
      .filter((each) => each !== theme)
      .map((each) =>
        act(`theme ${each}`, named(text('menu.theme'), text(`menu.themes.${each ?? 'system'}`)), () =>
          each === undefined ? forget('theme') : setTheme(each),
        ),
      ),
    ...(documented
      ? [act('docs', text('menu.documentation'), () => window.location.assign(`${basePath}/api-docs`))]
      : []),
    act('keys', text('shortcuts.title'), onHelp),
    act('sign out', text('menu.signOut'), () => askBefore(() => void logout())),
  ];
};
