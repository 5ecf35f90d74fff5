import { Link } from '../parts/link.tsx';
import { useModelName } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import { Line, listed, Matter } from './matter.tsx';
import type { ModelInNeed } from './stats.ts';

interface ModelMatterProps {
  readonly models: readonly ModelInNeed[];
}

/** Models whose records anybody with a token reads and writes. */
export const OpenModels = ({ models }: ModelMatterProps) => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <Matter title={text('start.open')} count={String(models.length)} more={text('start.openHelp')}>
      {models.slice(0, listed).map(({ model, path }) => (
        <Line key={model}>
          <Link to={`/records/${path}`}>{nameOf(model)}</Link>
        </Line>
      ))}
    </Matter>
  );
};

const tableOf = (models: readonly ModelInNeed[]): string =>
  `/permissions?${new URLSearchParams({ models: models.map(({ model }) => model).join(',') })}`;

/** Models that ask for permissions of which none is granted. */
export const UngrantedModels = ({ models }: ModelMatterProps) => {
  const text = useText();
  const nameOf = useModelName();
  return (
    <Matter
      title={text('start.ungranted')}
      count={String(models.length)}
      more={models.length > 1 ? <Link to={tableOf(models)}>{text('start.setAllRules')}</Link> : null}
    >
      {models.slice(0, listed).map((each) => (
        <Line key={each.model}>
          <Link to={`/records/${each.path}`}>{nameOf(each.model)}</Link> ·{' '}
          <Link to={tableOf([each])} label={`${text('start.setRules')}: ${nameOf(each.model)}`}>
            {text('start.setRules')}
          </Link>
        </Line>
      ))}
    </Matter>
  );
};
