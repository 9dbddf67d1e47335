import { Component, type ReactNode } from 'react';

import { ErrorNotice } from '../ui/notice.js';
import { NotLoadedError } from './screens.js';

interface State {
  readonly error: unknown;
}

/** A screen that fails leaves the others usable, and says what happened. */
export class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const retry = (): void => (error instanceof NotLoadedError ? location.reload() : this.setState({ error: null }));
    return <ErrorNotice error={error} retry={retry} />;
  }
}
