import type { MetadataField } from './metadata.ts';

/** What the input of a field is given, whatever its type. */
export interface FieldInputProps {
  readonly field: MetadataField;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}
