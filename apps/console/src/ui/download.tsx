import { type ReactNode, useState } from 'react';

import { download } from '../lib/api.js';
import { ErrorNotice } from './notice.js';

interface DownloadProps {
  readonly title: string;
  /** Path and query of the interface. */
  readonly from: string;
  /** Of the file. */
  readonly name: string;
}

/** A button that saves what the interface answers, byte for byte. */
export function Download({ title, from, name }: DownloadProps): ReactNode {
  const [error, setError] = useState<unknown>(null);
  const start = (): void => {
    setError(null);
    download(from, name).catch(setError);
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
