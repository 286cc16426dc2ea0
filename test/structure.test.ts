// Checks the structure of the project: imports have one direction and no cycles, files stay small, and built files
// start.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { parseProcfile } from '../local/processes/supervise-process.ts'
import { projectDirectory } from '../local/tools/folders.ts'
import { listGatewayRights } from '../shared/database/grants.ts'
import { QUEUES } from '../shared/schemas/job.ts'

const TOP_FOLDERS = ['gateway', 'workers', 'shared', 'commands', 'local', 'migrations', 'client/src']
// client/build generates these files from the OpenAPI document.
const GENERATED_PATH_PATTERN = /(^|\/)generated(\/|$)/
const LINES_MAX = 350
const FILES_MAX = 30
const PICTURE_BYTES_MAX = 150_000

type Source = { file: string; text: string; imports: string[] }

const readText = (file: string) => readFileSync(join(projectDirectory, file), 'utf8')

function readSources(folders: string[]): Source[] {
  const files = folders
    .filter((folder) => existsSync(join(projectDirectory, folder)))
    .flatMap((folder) =>
      readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !GENERATED_PATH_PATTERN.test(name))
        .map((name) => join(folder, name)),
    )
  return files.map((file) => ({ file, text: readText(file), imports: listImports(file) }))
}

const EXAMPLE_PATHS = [
  ...readdirSync(projectDirectory),
  ...readdirSync(join(projectDirectory, 'client')).map((name) => join('client', name)),
  ...[...TOP_FOLDERS, 'client/build', 'examples', 'test', 'bench', 'deploy', 'docs'].flatMap((folder) =>
    readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  ),
]

/**
 * Whether a path exists in full or as the end of a path: `map/canvas.ts` is short for
 * `gateway/web/admin/map/movable-cells.ts`.
 */
function isThere(path: string): boolean {
  const end = `/${path.replace(/\/$/, '')}`
  return EXAMPLE_PATHS.some((known) => `/${known}`.endsWith(end))
}

/** Returns the project's own files that a file imports, statically, dynamically or as types. */
function listImports(file: string): string[] {
  const text = readText(file).replace(/^\s*\/\/.*$/gm, '')
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g)
  return [...found]
    .filter(([, path = '']) => !GENERATED_PATH_PATTERN.test(path))
    .map(([, path = '']) => {
      const target = relative(projectDirectory, join(projectDirectory, dirname(file), path))
      if (!existsSync(join(projectDirectory, target)))
        throw new Error(`${file} imports ${path}, which is not there`)
      return target
    })
}

const describeSize = ([name, size]: [string, number]) => `${name}: ${size}`

// Matches a top-level constant that is a list or object over several lines, without functions and calls.
const DATA_TABLE_PATTERN = /^(?:export )?const \w+[^=\n]* = [[{]\n(?:(?!.*(?:=>|\w\())(?: .*)?\n)*[\]}].*$/gm

/** Counts the lines of a file except for tables of data. */
const countLines = (text: string) => text.replace(DATA_TABLE_PATTERN, '').trimEnd().split('\n').length

const findTopFolder = (file: string) =>
  TOP_FOLDERS.find((room) => file.startsWith(`${room}/`)) ?? file.split('/')[0] ?? ''

/** Returns the files or folders of an import cycle, or undefined if there is no cycle. */
function findCycle(sources: Array<Pick<Source, 'file' | 'imports'>>): string[] | undefined {
  const imports = new Map<string, string[]>()
  for (const source of sources)
    imports.set(source.file, [...(imports.get(source.file) ?? []), ...source.imports])
  const done = new Set<string>()
  const walk = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of imports.get(file) ?? []) {
      const cycle = walk(next, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const { file } of sources) {
    const cycle = walk(file, [])
    if (cycle) return cycle
  }
  return undefined
}

describe('the project', () => {
  const sources = readSources(TOP_FOLDERS)
  const everything = [...sources, ...readSources(['test', 'bench'])]

  it('contains source files in every folder that the structure tests name', () => {
    for (const room of TOP_FOLDERS)
      expect(
        sources.filter(({ file }) => findTopFolder(file) === room),
        room,
      ).to.not.have.length(0)
    const { imports } = sources.find(({ file }) => file === 'gateway/app.ts') ?? expect.fail('It is missing')
    expect(imports)
      .to.include('gateway/api/rest/users/users-routes.ts')
      .and.include('gateway/server/services/context.ts')
  })

  it('has no import cycles', () => {
    expect(findCycle(everything)).to.equal(undefined)
  })

  // For each top-level folder, the other folders from which its files may import.
  const allowed: Record<string, string[]> = {
    shared: [],
    gateway: ['shared'],
    workers: ['shared'],
    migrations: [],
    commands: ['shared', 'local'],
    local: ['shared', 'commands'],
    'client/src': [],
  }
  for (const [room, others] of Object.entries(allowed)) {
    it(`lets ${room} import only from ${others.join(' and ') || 'itself'}`, () => {
      const strays = sources
        .filter(({ file }) => findTopFolder(file) === room)
        .flatMap(({ file, imports }) => imports.map((target) => `${file} -> ${target}`))
        .filter((line) => ![room, ...others].includes(findTopFolder(line.split(' -> ')[1] ?? '')))
      expect(strays).to.deep.equal([])
    })
  }

  it('has no import cycles between folders', () => {
    const folders = sources.map(({ file, imports }) => ({
      file: dirname(file),
      imports: imports.map((target) => dirname(target)).filter((target) => target !== dirname(file)),
    }))
    expect(findCycle(folders)).to.equal(undefined)
  })

  // The layers of the gateway. A file may import only from its own layer and from layers below it.
  const layers = [
    ['web/admin', 'web/my', 'web/screens', 'web/browser'],
    ['web/pages'],
    ['web/sessions'],
    ['web/locales', 'api'],
    ['server'],
    ['queue'],
    ['reads'],
    ['overload', 'html'],
    ['auth'],
  ]
  const layerOf = (file: string) =>
    layers.findIndex((rooms) => rooms.some((room) => file.startsWith(`gateway/${room}/`)))

  it('lets gateway layers import only from lower layers, and no site import another site', () => {
    const strays = sources
      .filter(({ file }) => layerOf(file) >= 0)
      .flatMap(({ file, imports }) => imports.map((target) => ({ file, target })))
      .filter(({ target }) => target.startsWith('gateway/'))
      .filter(({ file, target }) => {
        const room = layers[layerOf(file)]?.find((each) => file.startsWith(`gateway/${each}/`)) ?? ''
        return !target.startsWith(`gateway/${room}/`) && layerOf(target) <= layerOf(file)
      })
      .map(({ file, target }) => `${file} -> ${target}`)
    expect(strays).to.deep.equal([])
  })

  it('runs every test file with npm test or npm run test:more', () => {
    const [built, more] = ['.mocharc.built.json', '.mocharc.more.json'].map((file) =>
      JSON.parse(readText(file)),
    )
    expect(built.ignore).to.deep.equal(more.spec)
    // Mocha treats a pattern without an asterisk as a file name.
    expect([...built.spec, ...more.spec].filter((pattern: string) => !pattern.includes('*'))).to.deep.equal(
      [],
    )
  })

  it('limits the number of files in each folder', () => {
    const files = new Map<string, number>()
    for (const { file } of everything) files.set(dirname(file), (files.get(dirname(file)) ?? 0) + 1)
    // Excludes migrations, whose number only grows.
    files.delete('migrations')
    const large = [...files].filter(([, number]) => number > FILES_MAX)
    const todo = `A folder has at most ${FILES_MAX} files: merge files that are one thought, or make a folder inside`
    expect(large.map(describeSize), todo).to.deep.equal([])
  })

  it('limits the length of each file', () => {
    const long = sources
      .map(({ file, text }): [string, number] => [file, countLines(text)])
      .filter(([, lines]) => lines > LINES_MAX)
    const todo = `A file has at most ${LINES_MAX} lines beside its tables of data: move a thought of its own to another file`
    expect(long.map(describeSize), todo).to.deep.equal([])
  })

  it('begins each file with a sentence that describes the file', () => {
    const silent = sources
      .filter(({ text }) => !/^(#!.*\n)?\/\/ [A-Z`“].*/.test(text))
      .map(({ file }) => file)
    expect(silent).to.deep.equal([])
  })

  it('gives a reason for each lint suppression, and contains no exclusive tests', () => {
    for (const { file, text } of everything) {
      expect(text, file).to.not.match(/@ts-(ignore|nocheck|expect-error)/)
      for (const [, reason = ''] of text.matchAll(/biome-ignore[^:]*:(.*)/g))
        expect(reason.trim(), file).to.not.equal('')
      if (file.endsWith('.test.ts')) expect(text, file).to.not.match(/\b(it|describe)\.(only|skip)\(/)
    }
  })

  it('names only existing files in comments', () => {
    const COMMENT = /(?:^\s*(?:\/\/|\/?\*)|\s\/\/ )(.*)/gm
    const FILE = /(?<![\w.@~/-])(?:[\w.-]+\/[\w./-]+\.(?:m?js|css|json|md|sh)|[\w./-]+\.ts)\b/g
    const missing = everything.flatMap(({ file, text }) =>
      [...text.matchAll(COMMENT)]
        .flatMap(([, comment = '']) => comment.match(FILE) ?? [])
        .filter((path) => !isThere(path))
        .map((path) => `${file}: ${path}`),
    )
    expect(missing).to.deep.equal([])
  })

  it('reads environment variables in one place only', () => {
    const readers = sources.filter(
      ({ file, text }) => /^(gateway|workers|shared)\//.test(file) && text.includes('process.env'),
    )
    expect(readers.map(({ file }) => file)).to.deep.equal(['shared/settings/config.ts'])
  })

  it('builds links to pages in one place, which checks the viewer’s permissions', () => {
    const writers = sources.filter(
      ({ file, text }) => /^gateway\/web\/(admin|pages)\//.test(file) && /<a\b/.test(text),
    )
    expect(writers.map(({ file }) => file)).to.deep.equal(['gateway/web/pages/ui/parts.ts'])
  })
})

describe('docs/architecture.md', () => {
  /**
   * Returns the folders that the tree names. Each line begins with a folder, and may name subfolders, each with a
   * trailing slash.
   */
  function readTree(): string[] {
    const [, tree = ''] = /```\n(gateway\/[\s\S]*?)```/.exec(readText('docs/architecture.md')) ?? []
    const parents: string[] = []
    // A line indented as far as the descriptions continues the previous one.
    return tree
      .replace(/\n {15,}/g, ' ')
      .split('\n')
      .flatMap((line) => {
        const [, indent = '', name, text = ''] = /^( *)([\w/-]+)\/ +(\S.*)/.exec(line) ?? []
        if (!name) return []
        parents.splice(indent.length / 2, parents.length, name)
        const inside = [...text.matchAll(/(?<=^|\s)([\w/-]+)\/(?=[\s,;:.]|$)/g)].map(
          ([, folder = '']) => folder,
        )
        return [[], ...inside].map((folder) => parents.concat(folder).join('/'))
      })
  }

  const hasSources = (folder: string) =>
    readdirSync(join(projectDirectory, folder)).some((name) => /\.(ts|js|css)$/.test(name))
  const isFolder = (path: string) =>
    statSync(join(projectDirectory, path), { throwIfNoEntry: false })?.isDirectory() ?? false
  // A resource folder is found by its name, a test folder by the sources that it mirrors or by its suite.
  const homes = ['shared', 'gateway/api/rest', 'gateway/web/admin', 'workers/jobs']
  const isResource = (folder: string) =>
    homes.includes(dirname(folder)) &&
    homes.filter((home) => isFolder(join(home, basename(folder)))).length > 1
  const isOfTests = (folder: string) =>
    folder.startsWith('test/') && (isFolder(folder.slice('test/'.length)) || folder.split('/').length > 2)

  it('explains every source folder that needs it, and names only folders that exist', () => {
    const named = readTree()
    const folders = [...TOP_FOLDERS, 'test', 'bench'].flatMap((room) => [
      room,
      ...readdirSync(join(projectDirectory, room), { recursive: true, encoding: 'utf8' })
        .map((name) => join(room, name))
        .filter((name) => isFolder(name) && !GENERATED_PATH_PATTERN.test(name)),
    ])
    expect(
      folders
        .filter(hasSources)
        .filter((folder) => !isResource(folder) && !isOfTests(folder) && !named.includes(folder)),
    ).to.deep.equal([], 'without a line')
    expect(named.filter((folder) => !isFolder(folder))).to.deep.equal([], 'not there')
    expect(new Set(named).size, 'named twice').to.equal(named.length)
  })
})

describe('docs/architecture.md outside its tree', () => {
  const text = readText('docs/architecture.md')

  it('names only resources that have a folder in all four places', () => {
    const [, names = '', places = ''] =
      /A resource \(([^)]*) …\) has a folder of its name in each of four places[^:]*:([\s\S]*?)All other folders/.exec(
        text,
      ) ?? []
    const homes = [...places.matchAll(/`([\w/]+)\/`/g)].map(([, home = '']) => home)
    expect(homes).to.have.length(4)
    expect(names.split(', ')).to.have.length.above(1)
    const folders = names.split(', ').flatMap((name) => homes.map((home) => `${home}/${name}`))
    expect(folders.filter((folder) => !existsSync(join(projectDirectory, folder)))).to.deep.equal([])
  })

  it('names exactly the tables that the gateway may write', () => {
    const [, sentence = ''] = /The gateway writes these tables only: ([^.]*)\./.exec(text) ?? []
    const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, table]) => table)
    expect(named).to.have.members([...new Set(listGatewayRights().map(({ table }) => table))])
  })
})

describe('the documentation', () => {
  // Full and shortened paths, but no URLs and no build output.
  const ROOM_PATH = /^(?:gateway|workers|shared|local|commands|migrations|client|test|bench|docs)\/[\w./-]+$/
  const SHORT_PATH =
    /^(?!api\/|dist\/)(?:(?:[\w-]+\/)+|[\w./-]+\.ts|[\w.-]+\/[\w./-]+\.(?:m?js|css|json|md|sh))$/
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'client/README.md',
    'examples/README.md',
    ...readdirSync(join(projectDirectory, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ].map((file) => ({ file, text: readText(file) }))
  const textOf = (path: string) => documents.find(({ file }) => file === path)?.text ?? ''

  // Generates anchors from headings like GitHub.
  const anchorsOf = (text: string) =>
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    )

  it('names only files that exist', () => {
    const missing = documents.flatMap(({ file, text }) =>
      [...text.matchAll(/`([^`\s]+)`/g)]
        .map(([, path = '']) => path)
        // A fresh clone does not have the files that the client build generates.
        .filter(
          (path) => (ROOM_PATH.test(path) || SHORT_PATH.test(path)) && !GENERATED_PATH_PATTERN.test(path),
        )
        .filter((path) => !isThere(path))
        .map((path) => `${file}: ${path}`),
    )
    expect(missing).to.deep.equal([])
  })

  it('has no broken links', () => {
    const broken = documents.flatMap(({ file, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .filter(([, path = '', anchor]) => {
          const target = path ? join(dirname(file), path) : file
          if (!existsSync(join(projectDirectory, target))) return true
          return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor)
        })
        .map(([link]) => `${file}: ${link}`),
    )
    expect(broken).to.deep.equal([])
  })

  it('shows only small pictures that exist, and shows every picture in the folder', () => {
    const shown = documents.flatMap(({ file, text }) =>
      [...text.matchAll(/(?:!\[[^\]]+\]\(|\bsrc(?:set)?=")([^)"\s]+\.webp)/g)].map(([, path = '']) =>
        join(dirname(file), path),
      ),
    )
    const pictures = readdirSync(join(projectDirectory, 'docs/pictures')).map((name) =>
      join('docs/pictures', name),
    )
    expect([...new Set(shown)]).to.have.members(pictures)
    for (const picture of pictures)
      expect(statSync(join(projectDirectory, picture)).size, picture).to.be.within(1, PICTURE_BYTES_MAX)
  })

  it('has a sorted glossary with each word once', () => {
    const words = [...textOf('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*: \S/gm)].map(
      ([, word = '']) => word,
    )
    expect(words.length).to.be.above(40)
    expect(words).to.deep.equal([...new Set(words)].sort())
  })

  it('indexes all decisions, and gives a reason for every dependency', () => {
    const index = textOf('docs/decisions/README.md')
    for (const name of readdirSync(join(projectDirectory, 'docs/decisions')))
      if (/^\d{4}-.*\.md$/.test(name)) expect(index).to.include(`](${name})`)
    const { dependencies, devDependencies, overrides } = JSON.parse(readText('package.json'))
    const reasons = textOf('docs/decisions/0001-dependencies.md')
    for (const name of Object.keys({ ...dependencies, ...devDependencies, ...overrides }))
      expect(reasons).to.include(`\`${name}\``)
  })
})

describe('the commands that start Berth', () => {
  const built = JSON.parse(readText('tsconfig.build.json')).include as string[]
  const procfile = parseProcfile(readText('Procfile'))
  const scripts = JSON.parse(readText('package.json')).scripts as Record<string, string>

  function expectBuilt(command: string) {
    for (const [path, stem = ''] of command.matchAll(/\bdist\/([\w/-]+)\.js\b/g)) {
      expect(existsSync(join(projectDirectory, `${stem}.ts`)), `${path} has no source`).to.equal(true)
      expect(built, path).to.include(findTopFolder(stem))
    }
  }

  it('run built files in the Procfile', () => {
    expect(procfile.map(({ name }) => name)).to.have.members(['release', 'web', 'worker', 'files', 'hooks'])
    for (const { command } of procfile) {
      // The command must use exec, because otherwise SIGTERM would end only the shell.
      expect(command).to.match(/^exec node dist\/[\w/-]+\.js( [a-z]+)*$/)
      expectBuilt(command)
    }
  })

  it('run built files in the npm scripts', () => {
    for (const [name, command] of Object.entries(scripts)) {
      expectBuilt(command)
      if (!existsSync(join(projectDirectory, `commands/${name}.ts`))) continue
      expect(command, 'where it runs nothing is built').to.equal(`node command.mjs ${name}`)
    }
  })

  it('start the workers of each queue in exactly one kind of process', () => {
    const queues = procfile
      .filter(({ command }) => command.includes('dist/workers/main.js'))
      .flatMap(({ command }) => command.split('main.js ')[1]?.split(' ') ?? [])
    expect(queues).to.have.members([...QUEUES])
    expect(queues).to.have.length(QUEUES.length)
  })
})
