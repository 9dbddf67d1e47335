import type { ReactNode } from 'react';
export function Job(): ReactNode {
  return <h1>Job</h1>;
}
