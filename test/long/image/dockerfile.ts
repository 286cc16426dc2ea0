// Carries out a Dockerfile by hand, where there is no Docker: each stage is a folder, and what it runs is run there. An
// instruction that it does not know fails, so that none is passed over.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { User } from '../../support/processes.ts'

export type Image = {
  /** Its root, and where in it everything lies. */
  root: string
  directory: string
  environment: Record<string, string>
  user: string
  command: string[]
  healthCheck: string[]
}

type Options = {
  /** What is built from, without what .dockerignore leaves out. */
  context: string
  /** Where the stages are made. */
  folder: string
  user: User | undefined
  environment: Record<string, string>
}

type Instruction = { name: string; rest: string }

/** The last of its stages. */
export function buildImage(dockerfile: string, options: Options): Image {
  const stages = new Map<string, Image>()
  let image = emptyImage('')
  for (const { name, rest } of readInstructions(dockerfile)) {
    if (name === 'FROM') {
      image = emptyImage(join(options.folder, String(stages.size)))
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? 'last', image)
      continue
    }
    const instruction = INSTRUCTIONS[name]
    if (!instruction) throw new Error(`Nobody knows how to ${name} by hand`)
    instruction(rest, { ...options, image, stages })
  }
  return image
}

function readInstructions(dockerfile: string): Instruction[] {
  const lines = readFileSync(dockerfile, 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.*[^\\])$/.exec(line) ?? []
      if (!name) throw new Error(`It is no instruction: ${line}`)
      return { name, rest }
    })
}

type Building = Options & { image: Image; stages: Map<string, Image> }

const INSTRUCTIONS: Record<string, (rest: string, building: Building) => void> = {
  WORKDIR(rest, { image, user }) {
    image.directory = join(image.root, rest)
    mkdirSync(image.directory, { recursive: true })
    own(image.directory, user)
  },
  COPY: copy,
  RUN(rest, { image, user, environment }) {
    const env = { PATH: process.env.PATH, ...environment, ...image.environment }
    execFileSync('/bin/sh', ['-c', rest], { ...user, cwd: image.directory, env, stdio: 'pipe' })
  },
  ENV(rest, { image }) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(rest) ?? []
    image.environment[name] = value
  },
  USER(rest, { image }) {
    image.user = rest
  },
  HEALTHCHECK(rest, { image }) {
    image.healthCheck = JSON.parse(rest.slice(rest.indexOf(' CMD ') + ' CMD '.length))
  },
  CMD(rest, { image }) {
    image.command = JSON.parse(rest)
  },
  EXPOSE() {
    // It says where the gateway listens, and does nothing.
  },
}

function copy(rest: string, { context, user, image, stages }: Building): void {
  const [, from, names = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? []
  const root = from === undefined ? context : (stages.get(from)?.root ?? `There is no stage ${from}`)
  const sources = names.split(' ')
  const target = sources.pop() ?? ''
  const to = join(image.directory, target)
  for (const source of sources) {
    const path = join(root, source)
    if (!existsSync(path)) throw new Error(`COPY ${rest}: there is no ${source}`)
    const isInto = target.endsWith('/') || sources.length > 1 || source === '.'
    // A folder is copied as what lies in it.
    const place = isInto && !lstatSync(path).isDirectory() ? join(to, source) : to
    mkdirSync(dirname(place), { recursive: true })
    cpSync(path, place, { recursive: true, verbatimSymlinks: true })
  }
  own(image.directory, user)
}

// While it is built its commands may write there.
function own(path: string, user: User | undefined): void {
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, path])
}

/** From now on nobody but root may write in it. */
export function seal({ root }: Image): void {
  execFileSync('chown', ['-R', 'root:root', root])
  chmodSync(root, 0o755)
}

function emptyImage(root: string): Image {
  return { root, directory: root, environment: {}, user: 'root', command: [], healthCheck: [] }
}
