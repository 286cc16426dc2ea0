// Loaded into a process whose memory is measured. On SIGUSR2, collects garbage and reports the memory in use.
process.on('SIGUSR2', () => {
  for (let time = 0; time < 3; time++) globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  const sockets = process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length
  const figures = { heapBytes: heapUsed + external, rssBytes: rss, sockets }
  process.stdout.write(`${JSON.stringify({ msg: 'memory', level: 30, pid: process.pid, ...figures })}\n`)
})
