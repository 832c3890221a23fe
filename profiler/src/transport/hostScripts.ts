/**
 * The shell programs that run beside the user's tools on the host, so that nothing outlives a profile there.
 *
 * They are plain POSIX sh (dash, bash, busybox). Each is started as `sh -c SCRIPT warplens ARGUMENT…` and speaks to
 * this side through marks, `\036 run-id word… \037`, on its error stream. Its standard input is a lifeline: one byte
 * every few seconds. End of file (we are gone, the connection was cut, the user cancelled) or a minute of silence (the
 * network failed) stops everything.
 */

/** Bytes on the lifeline. */
export const lifeline = {
  /** Nothing to say but that this side is alive. */
  beat: 'h',
  /** Interrupt the command as Ctrl-C would (SIGINT to its group), so that it can write what it has. */
  interrupt: 'i',
  /** Keeper only: remove the scratch folder and end. */
  remove: 'q',
  /** Keeper only: leave the scratch folder where it is and end. */
  keep: 'k',
} as const;

/** A lifeline that is silent for so long counts as cut. */
export const lifelineSilenceSeconds = 60;

/** The environment variable by which the processes of a profile are found again, wherever they moved themselves. */
export const runVariable = 'WARPLENS_RUN';

/**
 * Pauses after SIGTERM, before SIGKILL: a look at the processes is dear on a busy host, so each is longer than the
 * last.
 */
const graceSeconds = [0.1, 0.2, 0.3, 0.4, 1] as const;

/*
 * Shared pieces. `processes_of PATTERN` prints the processes whose environment holds the run's mark: a program that
 * starts its own session leaves its process group, not its environment. `read_beat` reads one byte; without `timeout`
 * it still ends with the stream.
 */
const shared = `
mark() { printf '\\036%s %s\\037' "$run" "$*"; }
processes_of() {
  for file in $(grep -lz "^${runVariable}=$1" /proc/[0-9]*/environ 2>/dev/null); do
    id=\${file#/proc/}
    id=\${id%/*}
    [ "$id" = "$$" ] || echo "$id"
  done
}
# The kill of busybox takes no --, that of dash no group without it.
signal_group() { kill -s "$1" "$2" 2>/dev/null || kill -s "$1" -- "$2" 2>/dev/null; }
stop_all() {
  signal=TERM
  for pause in ${graceSeconds.join(' ')}; do
    left=$(processes_of "$1")
    [ -n "$left" ] || return 0
    for id in $left; do kill -s $signal "$id" 2>/dev/null; done
    signal=0
    sleep $pause 2>/dev/null || sleep 1
  done
  for id in $(processes_of "$1"); do kill -s KILL "$id" 2>/dev/null; done
}
if command -v timeout >/dev/null 2>&1; then limit='timeout ${lifelineSilenceSeconds}'; else limit=; fi
`;

/**
 * Runs one command in its own session.
 * Arguments: run id, folder to run in, folders to append to PATH (or empty), NAME=VALUE…, `--`, the command and its
 * arguments.
 * Marks: `begin`, then `exit STATUS` (128 + n for signal n), or `failed directory`, or `deaf` when the lifeline was
 * closed from the start.
 */
export const supervisorScript = `${shared}
run=$1 directory=$2 path=$3
shift 3
mark begin
mark begin >&2
cd "$directory" || { mark failed directory >&2; exit 0; }
usual_temporary=$TMPDIR
while [ "$1" != -- ]; do export "$1"; shift; done
shift
# A launcher may have led to where the scratch folder is not seen.
if [ -n "$TMPDIR" ] && ! mkdir -p "$TMPDIR" 2>/dev/null; then
  if [ -n "$usual_temporary" ]; then TMPDIR=$usual_temporary; else unset TMPDIR; fi
fi
[ -n "$path" ] && PATH=$PATH:$path && export PATH
exec 3<&0 4>&2
clean_signals=
if env --default-signal true >/dev/null 2>&1; then clean_signals='env --default-signal'; fi
own_session=
if command -v setsid >/dev/null 2>&1; then own_session=setsid; fi
${runVariable}=$run $own_session $clean_signals "$@" </dev/null 3<&- 4>&- &
child=$!
group=$child
[ -n "$own_session" ] && group=-$child
trap : PIPE
stop() {
  signal_group TERM "$group"
  for pause in ${graceSeconds.join(' ')}; do
    signal_group 0 "$group" || return 0
    sleep $pause 2>/dev/null || sleep 1
  done
  signal_group KILL "$group"
}
trap stop HUP TERM INT
(
  exec >/dev/null 2>&1
  heard=
  while :; do
    beat=$($limit head -c 1 <&3 4>&-)
    case $beat in
      ${lifeline.beat}) heard=yes ;;
      ${lifeline.interrupt}) signal_group INT "$group" ;;
      *)
        [ -n "$heard" ] || mark deaf >&4
        exec 4>&-
        stop
        exit 0 ;;
    esac
  done
) &
watch=$!
exec 3<&- 4>&-
while :; do
  wait "$child" 2>/dev/null
  status=$?
  kill -s 0 "$child" 2>/dev/null || break
done
kill -s KILL "$watch" 2>/dev/null
signal_group KILL "$group"
stop_all "$run\\$" 2>/dev/null
mark exit "$status" >&2
exit 0
`;

/**
 * Owns the scratch folder of a profile for as long as the lifeline holds.
 * Arguments: run id, folder in which to make the scratch folder (or empty for the host's temporary folder; a leading ~/
 * is the home).
 * Marks: `begin`, `scratch PATH` or `failed scratch FOLDER`, and at the end `removed`, `kept` or `failed remove`.
 * Whatever carries `RUN.` in its mark is stopped before the folder is removed.
 */
export const keeperScript = `${shared}
run=$1 base=$2
mark begin
mark begin >&2
umask 077
case $base in
  '') base=\${TMPDIR:-/tmp} ;;
  '~') base=$HOME ;;
  '~/'*) base=$HOME/\${base#'~/'} ;;
esac
trap : PIPE HUP TERM INT
if ! mkdir -p "$base" 2>/dev/null || ! scratch=$(mktemp -d "$base/warplens.XXXXXXXX" 2>/dev/null); then
  mark failed scratch "$base" >&2
  exit 0
fi
scratch=$(cd "$scratch" && pwd -P)
mark scratch "$scratch" >&2
while :; do
  beat=$($limit head -c 1 2>/dev/null)
  case $beat in
    ${lifeline.beat}) ;;
    ${lifeline.keep}) stop_all "$run\\." 2>/dev/null; mark kept >&2; exit 0 ;;
    *) break ;;
  esac
done
cd /
stop_all "$run\\." 2>/dev/null
turn=0
while ! rm -rf "$scratch" 2>/dev/null && [ $turn -lt 5 ]; do sleep 1; stop_all "$run\\." 2>/dev/null; turn=$((turn + 1)); done
if [ -e "$scratch" ]; then mark failed remove >&2; else mark removed >&2; fi
exit 0
`;

/**
 * Writes its standard input to a file. Arguments: run id, path, size in bytes.
 * Marks: `begin`, then `exit 0`, or `failed write` when fewer bytes reached the disk than were announced.
 */
export const receiveScript = `
run=$1 path=$2 size=$3
mark() { printf '\\036%s %s\\037' "$run" "$*"; }
mark begin
mark begin >&2
mkdir -p "$(dirname "$path")" && cat >"$path" && [ "$(wc -c <"$path")" -eq "$size" ] && { mark exit 0 >&2; exit 0; }
mark failed write >&2
exit 0
`;

/**
 * Unpacks a tar stream from its standard input into a folder. Arguments: run id, folder.
 * Marks: `begin`, then `exit 0` or `failed write`.
 */
export const unpackScript = `
run=$1 folder=$2
mark() { printf '\\036%s %s\\037' "$run" "$*"; }
mark begin
mark begin >&2
mkdir -p "$folder" && tar -xf - -C "$folder" && { mark exit 0 >&2; exit 0; }
mark failed write >&2
exit 0
`;
