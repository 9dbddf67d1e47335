import { type ReactNode, useState } from 'react';

import type { OperationName, RequestOf } from '#lib/client/browser';

import { download, useOffered } from '../lib/api.js';
import { ErrorNotice } from './notice.js';

interface DownloadProps<O extends OperationName> {
  readonly title: string;
  readonly operation: O;
  readonly request: RequestOf<O>;
  /** Of the file. */
  readonly name: string;
}

/** A button that saves what the interface answers, byte for byte. */
export function Download<O extends OperationName>({ title, operation, request, name }: DownloadProps<O>): ReactNode {
  const [error, setError] = useState<unknown>(null);
  useOffered(operation, request);
  const start = (): void => {
    setError(null);
    download(operation, request, name).catch(setError);
  };
  return (
    <>
      <button type="button" onClick={start}>
        {title}
      </button>
      {error === null ? null : <ErrorNotice error={error} retry={start} />}
    </>
  );
}
