import type { ReactNode } from 'react';
export function Jobs(): ReactNode {
  return <h1>Jobs</h1>;
}
