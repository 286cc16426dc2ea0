// Where PostgreSQL runs and as whom. It refuses root, so root runs it as another user, who may not be able to reach
// the project; nothing here changes the mode of a folder that is not ours.
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
import { Problem, say } from '../terminal.ts'
import type { PostgresProgram } from './program.ts'

type Identity = { uid: number; gid: number }

export type Place = {
  /** The folder of the programs: bin, lib, share. */
  program: string
  /** The folder of the data and the password. */
  home: string
  identity: Identity | undefined
  /** A command that changes the identity itself; else spawn does. */
  prefix: string[]
}

export type Command = {
  command: string
  parameters: string[]
  uid: number | undefined
  gid: number | undefined
}

const USER = 'postgres'
const COPIES = '/var/lib/berth'

export function choosePlace(directory: string, program: PostgresProgram): Place {
  const owner = statSync(join(directory, 'data'), { throwIfNoEntry: false })?.uid
  const uid = process.getuid?.()
  const place = { program: program.directory, home: directory, identity: undefined, prefix: [] }
  if (uid !== 0) {
    if (owner === undefined || owner === uid) return place
    throw new Problem(
      `${directory} belongs to another user: start Berth as that user, or set BERTH_DIR to a new folder.`,
    )
  }
  const identity = owner ? statIdentity(join(directory, 'data')) : (findUser() ?? createUser())
  const copy = join(COPIES, createHash('sha256').update(directory).digest('hex').slice(0, 16))
  const reached = existsSync(copy) ? undefined : findWay({ ...place, identity })
  return reached ?? copyPlace(copy, directory, program, identity)
}

/** How to run one of PostgreSQL's programs at this place. */
export function commandAt(place: Place, program: string, parameters: string[]): Command {
  const [prefix, ...rest] = [...place.prefix, program, ...parameters]
  const identity = place.prefix.length > 0 ? undefined : place.identity
  return { command: prefix ?? program, parameters: rest, uid: identity?.uid, gid: identity?.gid }
}

// A project under /root or in a temporary folder (mode 0700) is out of reach for the other user. Linux can lend a
// process the one right it needs to walk through; reading is tried first, because it is the smaller right. Without
// no_setuid_fixup, access(2) ignores what was lent, and Postgres believes its own program to be unusable.
function findWay(place: Place): Place | undefined {
  const lent = ['dac_read_search', 'dac_override'].map((capability) => [
    'setpriv',
    `--reuid=${place.identity?.uid}`,
    `--regid=${place.identity?.gid}`,
    '--clear-groups',
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
    '--securebits=+no_setuid_fixup',
    '--',
  ])
  return [[], ...lent].map((prefix) => ({ ...place, prefix })).find(isUsable)
}

function isUsable(place: Place): boolean {
  const script = 'cd "$1" && cd "$2/share" && "$2/bin/initdb" --version'
  const { command, parameters, uid, gid } = commandAt(place, '/bin/sh', [
    '-c',
    script,
    'sh',
    place.home,
    place.program,
  ])
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: '/', uid, gid, encoding: 'utf8' })
  // A program that cannot see itself says so, and succeeds all the same.
  return status === 0 && stdout.startsWith('initdb') && stderr === ''
}

function copyPlace(copy: string, directory: string, program: PostgresProgram, identity: Identity): Place {
  const place = { program: join(copy, `program-${program.version}`), home: copy, identity, prefix: [] }
  sweepCopies()
  if (!existsSync(place.program)) {
    say(`The user ${USER} cannot reach ${directory}: PostgreSQL's program and data go to ${copy} instead.`)
    mkdirSync(copy, { recursive: true })
    chmodSync(COPIES, 0o755)
    writeFileSync(join(copy, 'origin'), directory)
    cpSync(program.directory, place.program, { recursive: true, verbatimSymlinks: true })
    spawnSync('chown', ['-R', `${identity.uid}:${identity.gid}`, copy])
  }
  if (isUsable(place)) return place
  if (!existsSync(join(copy, 'data'))) rmSync(copy, { recursive: true, force: true })
  throw new Problem(
    `PostgreSQL cannot run as the user ${USER} here: start Berth as an ordinary user, or set DATABASE_URL.`,
  )
}

// Copies for folders that no longer exist, temporary ones above all.
function sweepCopies(): void {
  if (!existsSync(COPIES)) return
  for (const name of readdirSync(COPIES)) {
    const origin = join(COPIES, name, 'origin')
    if (existsSync(origin) && !existsSync(readFileSync(origin, 'utf8'))) {
      rmSync(join(COPIES, name), { recursive: true, force: true })
    }
  }
}

function statIdentity(path: string): Identity {
  const { uid, gid } = statSync(path)
  return { uid, gid }
}

function findUser(): Identity | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, USER], { encoding: 'utf8' }))
  if (uid?.status !== 0 || gid?.status !== 0) return undefined
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

function createUser(): Identity {
  const common = ['--system', '--no-create-home', '--shell', '/bin/false']
  // The group may be there without the user.
  for (const group of [['--user-group'], ['--gid', USER]]) {
    if (spawnSync('useradd', [...common, ...group, USER]).status !== 0) continue
    say(`PostgreSQL does not run as root: the system user ${USER} was created for it.`)
    break
  }
  const identity = findUser()
  if (identity) return identity
  throw new Problem(
    `PostgreSQL does not run as root, and the user ${USER} cannot be created: start Berth as an ordinary user, or set DATABASE_URL.`,
  )
}
