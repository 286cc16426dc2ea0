// The suites of earlier releases, on a database that this code has migrated: while a deployment is under way, and after a
// rollback, their processes work on it. `npm run test:releases`; `-- --short` takes a few files of each.
import { spawnSync } from 'node:child_process'
import { projectDirectory } from '../../local/tools/folders.ts'
import { checkOut, isCommitHere, type Release, readReleases } from './checkout.ts'

// A suite's own is for a machine that does nothing else.
const TIMEOUT_MS = '120000'

const isShort = process.argv.includes('--short')
const failed = readReleases().filter((release) => !holds(release))
if (failed.length > 0) {
  console.error(
    `On the schema of this code ${failed.map(({ version }) => version).join(', ')} no longer works.`,
  )
  process.exit(1)
}

// Under load, on Debian's PostgreSQL: some minutes.
if (!isShort) {
  const isUpgraded =
    run(projectDirectory, ['build.mjs']) &&
    run(projectDirectory, ['node_modules/mocha/bin/mocha.js', 'test/scale/upgrade.test.ts'])
  if (!isUpgraded) process.exit(1)
}

function holds(release: Release): boolean {
  if (!isCommitHere(release.commit)) {
    console.log(`Berth ${release.version} is skipped: this clone is shallow and lacks ${release.commit}.`)
    return true
  }
  const folder = checkOut(release)
  const files = isShort ? release.short : release.suite
  console.log(`Berth ${release.version}, ${files.length} files, on the migrations of this code:`)
  return run(folder, ['node_modules/mocha/bin/mocha.js', '--exit', '--timeout', TIMEOUT_MS, ...files])
}

function run(cwd: string, parameters: string[]): boolean {
  return spawnSync(process.execPath, parameters, { cwd, stdio: 'inherit' }).status === 0
}
