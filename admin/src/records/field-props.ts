import type { MetadataField } from './metadata.ts';

/** The properties of a field's input, whatever its type. */
export interface FieldInputProps {
  readonly field: MetadataField;
  readonly value: unknown;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}
