"""Called by test-vtk.sh: what VTK reads of frames is what h5py reads of checkpoints."""

import os
import re
import sys

import h5py
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

work, picture, *documents = sys.argv[1:]


def pieces(data):
    """The parts of what a reader gives."""
    if data.IsA("vtkPartitionedDataSet"):
        return [data.GetPartition(k) for k in range(data.GetNumberOfPartitions())]
    return [data]


def values(data, of, name):
    found = [getattr(part, of)().GetArray(name) for part in pieces(data)]
    return np.concatenate([vtk_to_numpy(array) for array in found if array is not None])


def points(data):
    found = [part.GetPoints() for part in pieces(data)]
    found = [vtk_to_numpy(p.GetData()) for p in found if p is not None and p.GetNumberOfPoints()]
    return np.concatenate(found) if found else np.zeros((0, 3))


def frames(path):
    """Step by step what VTK gives."""
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    assert reader.CanReadFile(path), path
    reader.UpdateInformation()
    for step in range(max(reader.GetNumberOfSteps(), 1)):
        reader.SetStep(step)
        reader.Modified()
        reader.Update()
        yield reader.GetNumberOfSteps(), reader.GetOutputDataObject(0)


def compare(folder, checkpoints, exact, steps):
    checked = 0
    for kind in ["bodies", "contacts"]:
        seen = 0
        for step, (count, data) in zip(steps, frames(f"{folder}/{kind}.vtkhdf")):
            assert count in (len(steps), 0), (count, steps)
            seen += 1
            path = f"{checkpoints}/checkpoint-{step:08}.h5"
            if not os.path.exists(path):
                continue
            with h5py.File(path) as f:
                same = lambda a, b, what: np.testing.assert_allclose(
                    a, b, rtol=0 if exact else 1e-6, atol=0 if exact else 1e-7, err_msg=f"{what} of step {step}"
                )
                if kind == "bodies":
                    same(points(data), f["bodies/position"][:], "position")
                    for name in ["velocity", "angular_velocity", "radius", "id", "material", "kind"]:
                        same(values(data, "GetPointData", name), f[f"bodies/{name}"][:], name)
                    cells = sum(part.GetNumberOfVerts() for part in pieces(data))
                    assert cells == len(f["bodies/id"]), cells
                else:
                    impulse, normal = f["contacts/impulse"][:], f["contacts/normal"][:]
                    force = (impulse * normal).sum(1) / f.attrs["dt"]
                    if len(force):
                        np.testing.assert_allclose(
                            values(data, "GetCellData", "normal_force"), force, rtol=1e-6, atol=1e-9
                        )
                        same(values(data, "GetCellData", "gap"), f["contacts/gap"][:], "gap")
                        same(values(data, "GetCellData", "body"), f["contacts/body"][:], "body")
                    cells = [part.GetLines() for part in pieces(data)]
                    assert sum(c.GetNumberOfCells() for c in cells) == len(force)
                    ids = [vtk_to_numpy(c.GetConnectivityArray()) for c in cells if c.GetNumberOfCells()]
                    assert all((i == np.arange(len(i))).all() for i in ids)
                checked += 1
        assert seen == max(len(steps), 1), (kind, seen)
    return checked


def draw(path, picture):
    """Bodies as balls, off the screen; says how many colours the picture has."""
    data = list(frames(path))[-1][1]
    append = vtk.vtkAppendPolyData()
    for part in pieces(data):
        append.AddInputData(part)
    append.Update()
    data = append.GetOutput()
    data.GetPointData().SetActiveScalars("radius")
    ball = vtk.vtkSphereSource()
    ball.SetRadius(1.0)
    glyph = vtk.vtkGlyph3D()
    glyph.SetInputData(data)
    glyph.SetSourceConnection(ball.GetOutputPort())
    glyph.SetScaleModeToScaleByScalar()
    glyph.SetScaleFactor(1.0)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(glyph.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    renderer = vtk.vtkRenderer()
    renderer.AddActor(actor)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(300, 300)
    window.AddRenderer(renderer)
    renderer.ResetCamera()
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.Update()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(picture)
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()
    pixels = vtk_to_numpy(image.GetOutput().GetPointData().GetScalars())
    return len(np.unique(pixels, axis=0))


def examples(path):
    """Runs the Python of a document, block by block, where a run's folder is called out."""
    text = open(path).read()
    home = os.getcwd()
    os.chdir(work)
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    for block in blocks:
        exec(compile(block, path, "exec"), names)
    os.chdir(home)
    return len(blocks)


print("VTK", vtk.vtkVersion.GetVTKVersion())
steps = list(range(0, 401, 50))
print("  exact:", compare(f"{work}/exact", f"{work}/exact", True, steps), "frames as the checkpoints")
print("  one file:", compare(f"{work}/packed", f"{work}/exact", True, steps), "frames as the checkpoints")
print("  a checkpoint:", compare(f"{work}/still", f"{work}/exact", True, [400]), "frames as the checkpoint")
steps = list(range(0, 501, 50))
print("  32 bits, 3 ranks, then 1:", compare(f"{work}/out", f"{work}/exact", False, steps), "frames as the checkpoints")
# Before 9.4 VTK from PyPI draws on an X server only.
if vtk.vtkVersion().GetVTKMajorVersion() * 100 + vtk.vtkVersion().GetVTKMinorVersion() >= 904:
    colours = draw(f"{work}/exact/bodies.vtkhdf", picture)
    assert colours > 20, f"{colours} colours in the picture"
    print("  a picture of", colours, "colours")
if hasattr(vtk, "vtkXdmfReader"):
    reader = vtk.vtkXdmfReader()
    reader.SetFileName(f"{work}/exact/checkpoints.xmf")
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    reader.UpdateTimeStep(times[-1])
    blocks = reader.GetOutputDataObject(0)
    grid = blocks.GetBlock(0)
    with h5py.File(f"{work}/exact/checkpoint-00000400.h5") as f:
        assert (vtk_to_numpy(grid.GetPoints().GetData()) == f["bodies/position"][:]).all()
        assert (vtk_to_numpy(grid.GetPointData().GetArray("velocity")) == f["bodies/velocity"][:]).all()
        assert (vtk_to_numpy(grid.GetPointData().GetArray("id")) == f["bodies/id"][:]).all()
    print("  XDMF:", len(times), "states")
else:
    print("  XDMF: this VTK has no reader of it")
for document in documents:
    print("  examples:", examples(document), "blocks of", document)
