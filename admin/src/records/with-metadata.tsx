import Alert from '@mui/material/Alert';
import type { ReactNode } from 'react';
import { PageNotFound } from '../layout/not-found.tsx';
import { Waiting } from '../layout/waiting.tsx';
import { sentenceOf } from '../parts/problem.ts';
import { useLanguage, useText } from '../texts/provider.ts';
import type { Metadata } from './metadata.ts';
import { UnknownResource, useMetadata } from './use-metadata.ts';

interface WithMetadataProps {
  readonly path: string;
  readonly children: (metadata: Metadata) => ReactNode;
}

/** A page of a resource, once it is known what the resource is made of. */
export const WithMetadata = ({ path, children }: WithMetadataProps) => {
  const { data, error } = useMetadata(path);
  const text = useText();
  const language = useLanguage();
  if (error instanceof UnknownResource) return <PageNotFound />;
  if (error) return <Alert severity="error">{sentenceOf(error, language, text)}</Alert>;
  return data === undefined ? <Waiting /> : children(data);
};
