import io, os, sys, tarfile
from pip._internal.commands import create_command

package, version, folder, place = sys.argv[1:]
download = create_command("download")
options, _ = download.parse_args([package])
session = download._build_session(options)
finder = download._build_package_finder(options, session)
found = [
    candidate.link
    for candidate in finder.find_all_candidates(package)
    if str(candidate.version) == version and candidate.link.filename.endswith(".tar.gz")
]
answer = session.get(found[0].url_without_fragment)
answer.raise_for_status()
with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
    for member in archive:
        path = member.name.split("/")[1:]
        if not member.isfile() or path[:1] != [folder] or ".." in path:
            continue
        target = os.path.join(place, *path[1:])
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(archive.extractfile(member).read())
