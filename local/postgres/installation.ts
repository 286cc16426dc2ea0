// Chooses the folders and the user for PostgreSQL. It refuses to run as root, so root runs it as another
// user, who may not be able to reach the project; the modes of other folders are never changed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CliError, print } from '../tools/terminal.ts'
import type { PostgresProgram } from './program.ts'

type Identity = { uid: number; gid: number }

export type Installation = {
  /** The folder of the programs: bin, lib, share. */
  programDirectory: string
  /** The folder of the data and the password. */
  homeDirectory: string
  identity: Identity | undefined
  /** A command that switches the user itself; otherwise spawn does. */
  prefix: string[]
}

type Command = {
  command: string
  parameters: string[]
  uid: number | undefined
  gid: number | undefined
}

const SYSTEM_USER = 'postgres'
const COPIES_DIRECTORY = '/var/lib/berth'

export function chooseInstallation(directory: string, program: PostgresProgram): Installation {
  const owner = statSync(join(directory, 'data'), { throwIfNoEntry: false })?.uid
  const uid = process.getuid?.()
  const installation = {
    programDirectory: program.directory,
    homeDirectory: directory,
    identity: undefined,
    prefix: [],
  }
  if (uid !== 0) {
    if (owner === undefined || owner === uid) return installation
    throw new CliError(
      `${directory} belongs to another user. Start Berth as that user, or set BERTH_DIR to a new folder.`,
    )
  }
  const identity = owner ? statIdentity(join(directory, 'data')) : (findUser() ?? createUser())
  const copy = join(COPIES_DIRECTORY, createHash('sha256').update(directory).digest('hex').slice(0, 16))
  const reached = existsSync(copy) ? undefined : findReachable({ ...installation, identity })
  return reached ?? copyInstallation(copy, directory, program, identity)
}

/** How to run one of PostgreSQL's programs from this installation. */
export function commandFor(installation: Installation, program: string, parameters: string[]): Command {
  const [prefix, ...rest] = [...installation.prefix, program, ...parameters]
  const identity = installation.prefix.length > 0 ? undefined : installation.identity
  return { command: prefix ?? program, parameters: rest, uid: identity?.uid, gid: identity?.gid }
}

// A project under /root or in a temporary folder (mode 0700) is out of reach for the other user. Linux can
// lend a process the capability to pass through; read access is tried first, because it is the smaller one.
// Without no_setuid_fixup, access(2) ignores it, and Postgres finds its own program unusable.
function findReachable(installation: Installation): Installation | undefined {
  const lent = ['dac_read_search', 'dac_override'].map((capability) => [
    'setpriv',
    `--reuid=${installation.identity?.uid}`,
    `--regid=${installation.identity?.gid}`,
    '--clear-groups',
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
    '--securebits=+no_setuid_fixup',
    '--',
  ])
  return [[], ...lent].map((prefix) => ({ ...installation, prefix })).find(isUsable)
}

function isUsable(installation: Installation): boolean {
  const script = 'cd "$1" && cd "$2/share" && "$2/bin/initdb" --version'
  const { command, parameters, uid, gid } = commandFor(installation, '/bin/sh', [
    '-c',
    script,
    'sh',
    installation.homeDirectory,
    installation.programDirectory,
  ])
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: '/', uid, gid, encoding: 'utf8' })
  // A program that cannot find itself prints a warning, but exits with 0.
  return status === 0 && stdout.startsWith('initdb') && stderr === ''
}

function copyInstallation(
  copy: string,
  directory: string,
  program: PostgresProgram,
  identity: Identity,
): Installation {
  const installation = {
    programDirectory: join(copy, `program-${program.version}`),
    homeDirectory: copy,
    identity,
    prefix: [],
  }
  sweepCopies()
  if (!existsSync(installation.programDirectory)) {
    print(
      `The user ${SYSTEM_USER} cannot access ${directory}, so PostgreSQL and its data go to ${copy} instead.`,
    )
    mkdirSync(copy, { recursive: true })
    chmodSync(COPIES_DIRECTORY, 0o755)
    writeFileSync(join(copy, 'origin'), directory)
    cpSync(program.directory, installation.programDirectory, { recursive: true, verbatimSymlinks: true })
    spawnSync('chown', ['-R', `${identity.uid}:${identity.gid}`, copy])
  }
  if (isUsable(installation)) return installation
  if (!existsSync(join(copy, 'data'))) rmSync(copy, { recursive: true, force: true })
  throw new CliError(
    `PostgreSQL cannot run as the user ${SYSTEM_USER} here. Start Berth as a regular user, or set DATABASE_URL.`,
  )
}

// Removes copies for folders that no longer exist, mostly temporary ones.
function sweepCopies(): void {
  if (!existsSync(COPIES_DIRECTORY)) return
  for (const name of readdirSync(COPIES_DIRECTORY)) {
    const origin = join(COPIES_DIRECTORY, name, 'origin')
    if (existsSync(origin) && !existsSync(readFileSync(origin, 'utf8'))) {
      rmSync(join(COPIES_DIRECTORY, name), { recursive: true, force: true })
    }
  }
}

function statIdentity(path: string): Identity {
  const { uid, gid } = statSync(path)
  return { uid, gid }
}

function findUser(): Identity | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, SYSTEM_USER], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function createUser(): Identity {
  const common = ['--system', '--no-create-home', '--shell', '/bin/false']
  // The group may exist without the user.
  for (const group of [['--user-group'], ['--gid', SYSTEM_USER]]) {
    if (spawnSync('useradd', [...common, ...group, SYSTEM_USER]).status !== 0) continue
    print(`PostgreSQL does not run as root; created the system user ${SYSTEM_USER} for it.`)
    break
  }
  const identity = findUser()
  if (identity) return identity
  throw new CliError(
    `PostgreSQL does not run as root, and the user ${SYSTEM_USER} could not be created. Start Berth as a regular user, or set DATABASE_URL.`,
  )
}
