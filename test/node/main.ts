// Types and the suite on other versions of Node, from the npm registry: `npm run test:node -- 24 26 --quick`. They are kept
// where other downloads are; of the checkout only dist/ is made anew. `--quick` runs what a version of Node is likely to break.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectDirectory } from '../../local/tools/folders.ts'
import { folderOf, installNode } from './install.ts'

const VERSIONS = ['22', '24', '26']

// Processes that are started and ended, connections that break, streams, files, child processes, timers, and a little of
// everything over HTTP. Mocha takes a comma for the end of a pattern.
const QUICK = [
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
const failed = (positionals.length > 0 ? positionals : VERSIONS).filter((version) => !passes(version))
if (failed.length > 0) {
  console.error(`Failed on Node ${failed.join(', ')}`)
  process.exit(1)
}

function passes(version: string): boolean {
  const folder = folderOf(version)
  const node = installNode(version)
  const run = (title: string, ...args: string[]) => {
    const startedMs = Date.now()
    const env = { ...process.env, PATH: `${join(node, '..')}${delimiter}${process.env.PATH}` }
    // Whoever started this one may have told it what another version does not know.
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
    // They are the same on each, so that a quick run does without.
    (values.quick || run('types', 'node_modules/typescript/bin/tsc', '--noEmit')) &&
    run('build', 'build.mjs', '--tests') &&
    // As developers run a file: by tsx.
    run('a file by itself', mocha, 'test/shared/settings/config.test.ts') &&
    run('tests', mocha, '--config', values.quick ? writeQuickConfig(folder) : '.mocharc.built.json')
  )
}

function writeQuickConfig(folder: string): string {
  const whole = JSON.parse(readFileSync(join(projectDirectory, '.mocharc.built.json'), 'utf8')) as object
  const file = join(folder, 'mocharc.json')
  const spec = QUICK.map((name) => `dist/test/${name}.test.js`)
  writeFileSync(file, JSON.stringify({ ...whole, spec }))
  return file
}
