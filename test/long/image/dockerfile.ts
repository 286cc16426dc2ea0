// Executes a Dockerfile without Docker: each stage is a folder in which its commands run. An unknown
// instruction fails, so that no instruction is skipped.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { User } from '../../support/processes.ts'

export type Image = {
  /** The root folder of the image, and the working directory in it. */
  root: string
  directory: string
  environment: Record<string, string>
  user: string
  command: string[]
  healthCheck: string[]
}

type Options = {
  /** The build context, without the files that .dockerignore excludes. */
  context: string
  /** The folder in which the stages are created. */
  folder: string
  user: User | undefined
  environment: Record<string, string>
}

type Instruction = { name: string; rest: string }

/** Executes a Dockerfile, and returns its last stage. */
export function buildImage(dockerfile: string, options: Options): Image {
  const stages = new Map<string, Image>()
  let image = createEmptyImage('')
  for (const { name, rest } of readInstructions(dockerfile)) {
    if (name === 'FROM') {
      image = createEmptyImage(join(options.folder, String(stages.size)))
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
    changeOwner(image.directory, user)
  },
  COPY: copyFiles,
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
    // EXPOSE only documents the port of the gateway.
  },
}

function copyFiles(rest: string, { context, user, image, stages }: Building): void {
  const [, from, names = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? []
  const root = from === undefined ? context : (stages.get(from)?.root ?? `There is no stage ${from}`)
  const sources = names.split(' ')
  const target = sources.pop() ?? ''
  const to = join(image.directory, target)
  for (const source of sources) {
    const path = join(root, source)
    if (!existsSync(path)) throw new Error(`COPY ${rest}: there is no ${source}`)
    const isInto = target.endsWith('/') || sources.length > 1 || source === '.'
    // COPY of a folder copies its contents, not the folder itself.
    const place = isInto && !lstatSync(path).isDirectory() ? join(to, source) : to
    mkdirSync(dirname(place), { recursive: true })
    cpSync(path, place, { recursive: true, verbatimSymlinks: true })
  }
  changeOwner(image.directory, user)
}

// Lets the commands of the build write to the folder.
function changeOwner(path: string, user: User | undefined): void {
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, path])
}

/** Makes the image read-only for all users except root. */
export function makeReadOnly({ root }: Image): void {
  execFileSync('chown', ['-R', 'root:root', root])
  chmodSync(root, 0o755)
}

function createEmptyImage(root: string): Image {
  return { root, directory: root, environment: {}, user: 'root', command: [], healthCheck: [] }
}
