const Configuration = {
  parserPreset: {
    parserOpts: { headerPattern: /^(\w+)(?:\[(\w+)\])? - (.+)$/i, issuePrefixes: ['PROJ-', '#'] },
  },
  rules: {
    'type-enum': [2, 'always', ['feat', 'fix']],
    'type-empty': [2, 'never'],
    'subject-empty': [2, 'never'],
    'scope-enum': [2, 'always', ['api', 'web']],
    'subject-case': [2, 'always', ['sentence-case']],
    'scope-case': [2, 'never', ['upper-case']],
    'type-case': [2, 'always', 'lower-case'],
    'subject-max-length': [2, 'always', 50],
    'subject-min-length': [2, 'always', 5],
    'header-max-length': [1, 'always', 72],
    'references-empty': [2, 'never'],
    'subject-full-stop': [2, 'never', '.'],
    'scope-max-length': [2, 'always', 5000],
  },
};
module.exports = Configuration;
