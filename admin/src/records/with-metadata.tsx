import type { ReactNode } from 'react';
import { FailurePage } from '../layout/failure.tsx';
import { PageNotFound } from '../layout/not-found.tsx';
import { Waiting } from '../layout/waiting.tsx';
import type { Metadata } from './metadata.ts';
import { UnknownResource, useMetadata } from './use-metadata.ts';

interface WithMetadataProps {
  readonly path: string;
  readonly children: (metadata: Metadata) => ReactNode;
}

/** Renders a page of a resource once its metadata is loaded. */
export const WithMetadata = ({ path, children }: WithMetadataProps) => {
  const { data, error } = useMetadata(path);
  if (error instanceof UnknownResource) return <PageNotFound />;
  if (error) return <FailurePage error={error} />;
  return data === undefined ? <Waiting /> : children(data);
};
