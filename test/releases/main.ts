// The suites of earlier releases, on a database that this code has migrated: while a deployment is under way, and after a
// rollback, their processes work on it. `npm run test:releases`; `-- --short` takes a few files of each.
import { spawnSync } from 'node:child_process'
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

function holds(release: Release): boolean {
  if (!isCommitHere(release.commit)) {
    console.log(`Berth ${release.version} is skipped: this clone is shallow and lacks ${release.commit}.`)
    return true
  }
  const folder = checkOut(release)
  const files = isShort ? release.short : release.suite
  console.log(`Berth ${release.version}, ${files.length} files, on the migrations of this code:`)
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', '--exit', '--timeout', TIMEOUT_MS, ...files],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  )
  return status === 0
}
