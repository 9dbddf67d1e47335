import borders, { SPEC } from './.dependency-cruiser.mjs';

/** Cycles between libraries, through whichever files; specs may look at several libraries and are left out. */
export default {
  forbidden: [
    {
      name: 'no-library-cycles',
      comment: 'Two libraries that need each other, even through different files, are one, or lack a third.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^libs/([^/]+)/' },
      to: { circular: true, via: { path: '^libs/', pathNot: '^libs/$1/' } },
    },
  ],
  options: { ...borders.options, exclude: { path: `^(dist|test|apps)/|${SPEC}` } },
};
