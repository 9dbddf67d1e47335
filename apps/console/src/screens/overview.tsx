import type { ReactNode } from 'react';
export function Overview(): ReactNode {
  return <h1>Overview</h1>;
}
