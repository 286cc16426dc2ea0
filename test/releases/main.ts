// Runs the suites of earlier releases on a database that this code has migrated, as during a deployment or after a
// rollback. `npm run test:releases`; `-- --short` runs a few files of each.
import { spawnSync } from 'node:child_process'
import { projectDirectory } from '../../local/tools/folders.ts'
import { checkOut, isCommitHere, type Release, readReleases } from './checkout.ts'

// Uses a longer timeout, because the suites' own timeouts assume a machine that is not busy.
const TIMEOUT_MS = '120000'

const isShort = process.argv.includes('--short')
const failed = readReleases().filter((release) => !passesSuite(release))
if (failed.length > 0) {
  console.error(
    `On the schema of this code ${failed.map(({ version }) => version).join(', ')} no longer works.`,
  )
  process.exit(1)
}

// Runs under load on Debian's PostgreSQL, which takes some minutes.
if (!isShort) {
  const isUpgraded =
    run(projectDirectory, ['build.mjs']) &&
    run(projectDirectory, ['node_modules/mocha/bin/mocha.js', 'test/scale/upgrade.test.ts'])
  if (!isUpgraded) process.exit(1)
}

function passesSuite(release: Release): boolean {
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
