-- The requests that wrk sends (the paths after “--” in turn), and its report as one line of JSON.
local paths, number = {}, 0

function init(args)
  paths = args
end

function request()
  number = number + 1
  return wrk.format(nil, paths[(number - 1) % #paths + 1])
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"answered":%d,"us":%d,"p50Us":%d,"p99Us":%d,' ..
    '"failures":{"not 2xx":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect, errors.read, errors.write, errors.timeout))
end
