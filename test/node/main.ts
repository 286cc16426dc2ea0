// Runs the type check and the suite on other versions of Node from the npm registry: `npm run test:node -- 24 26
// --quick`. The versions are cached; only dist/ is rebuilt in the checkout. `--quick` runs only tests that a Node
// version is likely to break.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../../local/tools/folders.ts'
import { getNodeFolder, installNode } from './install.ts'

const VERSIONS = ['22', '24', '26']

// Covers processes, broken connections, streams, files, timers, and some HTTP tests. The patterns contain no comma,
// which Mocha would treat as the end of a pattern.
const QUICK_TESTS = [
  'commands/@(commands|installation)',
  'gateway/@(app|drain|services)',
  'gateway/api/rest/@(bookings|events|users-import|users-export)',
  'gateway/server/http/@(bodies|broken-http|large-bodies|listings-stream|requests|strictness)',
  'gateway/web/admin/account/*',
  'local/start',
  'pipeline/@(batches|delivery|killed-workers|postgres-away|redis-away)',
  'shared/**/*',
  'workers/sheets/*',
  'structure',
]

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const failed = (positionals.length > 0 ? positionals : VERSIONS).filter(
  (version) => !runsSuccessfully(version),
)
if (failed.length > 0) {
  console.error(`Failed on Node ${failed.join(', ')}`)
  process.exit(1)
}

function runsSuccessfully(version: string): boolean {
  const folder = getNodeFolder(version)
  const node = installNode(version)
  const run = (title: string, ...args: string[]) => {
    const startedMs = Date.now()
    const env = { ...process.env, PATH: `${join(node, '..')}${delimiter}${process.env.PATH}` }
    // The parent process may have set options that another version does not know.
    const { status } = spawnSync(node, args, {
      cwd: projectDirectory,
      stdio: 'inherit',
      env: { ...env, NODE_OPTIONS: '' },
    })
    console.log(
      `Node ${version}, ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - startedMs) / 1_000)} s`,
    )
    return status === 0
  }
  const mocha = 'node_modules/mocha/bin/mocha.js'
  return (
    run('version', '--version') &&
    // Types are the same on each version, so that a quick run skips them.
    (values.quick || run('types', 'node_modules/typescript/bin/tsc', '--noEmit')) &&
    run('build', 'build.mjs', '--tests') &&
    // Runs a single file with tsx, as developers do.
    run('a file by itself', mocha, 'test/shared/settings/config.test.ts') &&
    run('tests', mocha, '--config', values.quick ? writeQuickConfig(folder) : '.mocharc.built.json')
  )
}

function writeQuickConfig(folder: string): string {
  const whole = JSON.parse(readFileSync(join(projectDirectory, '.mocharc.built.json'), 'utf8')) as object
  const file = join(folder, 'mocharc.json')
  const spec = QUICK_TESTS.map((name) => `dist/test/${name}.test.js`)
  writeFileSync(file, JSON.stringify({ ...whole, spec }))
  return file
}
