module.exports = {
  parserPreset: { parserOpts: { headerPattern: /^\[(\w+)\] (.+)$/, headerCorrespondence: ['scope', 'subject'] } },
  rules: {
    'scope-empty': [2, 'never'],
    'scope-enum': [2, 'never', ['wip', 'tmp']],
    'subject-case': [2, 'always', ['lower-case', 'sentence-case']],
    'scope-min-length': [2, 'always', 2],
    'scope-case': [2, 'always', ['lower-case', 'pascal-case']],
    'type-enum': [2, 'always', ['feat']],
    'body-leading-blank': [2, 'always'],
  },
};
