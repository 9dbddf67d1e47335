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
  const [isBusy, setBusy] = useState(false);
  useOffered(operation, request);
  const start = (): void => {
    if (isBusy) return;
    setError(null);
    setBusy(true);
    download(operation, request, name)
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button type="button" onClick={start}>
        {isBusy ? 'Downloading …' : title}
      </button>
      {error === null ? null : <ErrorNotice error={error} retry={start} />}
    </>
  );
}
