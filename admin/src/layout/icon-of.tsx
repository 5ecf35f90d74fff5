import TableIcon from '@mui/icons-material/TableRowsOutlined';
import { type ComponentType, lazy, Suspense } from 'react';

interface IconProps {
  readonly fontSize?: 'small';
}

const Named = lazy(() => import('./model-icons.tsx').then(({ ModelIcon: part }) => ({ default: part })));

const made = new Map<string, ComponentType<IconProps>>();

/** The picture of a model that names one, the same component each time; a table for others, and until it is loaded. */
export const iconOf = (name: string | null | undefined): ComponentType<IconProps> => {
  if (name === null || name === undefined) return TableIcon;
  const known = made.get(name);
  if (known !== undefined) return known;
  const draw = (props: IconProps) => (
    <Suspense fallback={<TableIcon {...props} />}>
      <Named name={name} {...props} />
    </Suspense>
  );
  made.set(name, draw);
  return draw;
};
